"""Options that subcommands of git share. An option that runs a program or writes is not here."""

DIFF = (
    "-p -u -s -U? -W -M? -C? -B? -D -R -a -b -w -z -l? -S: -G: -I: --patch --no-patch --unified="
    " --raw --patch-with-raw --patch-with-stat --stat? --numstat --shortstat --dirstat? --summary"
    " --compact-summary --name-only --name-status --no-renames --find-renames? --find-copies?"
    " --find-copies-harder --break-rewrites? --diff-filter= --full-index --binary --abbrev? --check"
    " --color? --no-color --color-moved? --word-diff? --color-words? --word-diff-regex= --minimal"
    " --patience --histogram --diff-algorithm= --anchored= --indent-heuristic"
    " --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change --ignore-all-space"
    " --ignore-blank-lines --inter-hunk-context= --function-context --exit-code --quiet"
    " --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix"
    " --relative? --no-relative --text --pickaxe-all --pickaxe-regex --irreversible-delete"
    " --skip-to= --rotate-to= --line-prefix= --ws-error-highlight="
)
LOG = (
    "-# -n: -i -E -F -P -c -m -g -L:rev -t -r --oneline --graph --all --decorate? --no-decorate"
    " --decorate-refs= --max-count: --skip: --since: --after: --until: --before: --author:"
    " --committer: --grep: --all-match --invert-grep --regexp-ignore-case --extended-regexp"
    " --fixed-strings --perl-regexp --merges --no-merges --min-parents= --max-parents="
    " --first-parent --not --branches? --tags? --remotes? --glob: --exclude: --reflog --no-walk?"
    " --format= --pretty? --abbrev-commit --no-abbrev-commit --date: --relative-date --parents"
    " --children --left-right --cherry-mark --cherry-pick --cherry --left-only --right-only"
    " --boundary --topo-order --date-order --author-date-order --reverse --simplify-by-decoration"
    " --simplify-merges --full-history --dense --sparse --ancestry-path? --show-pulls --follow"
    " --source --notes? --no-notes --cc --combined-all-paths --walk-reflogs --clear-decorations"
    " --log-size --no-mailmap --mailmap --use-mailmap --no-expand-tabs --encoding= --root"
)
LIST = (
    "--sort: --format: --contains: --no-contains: --merged? --no-merged? --points-at: --column?"
    " --no-column --color? --no-color --ignore-case -i --omit-empty"
)
