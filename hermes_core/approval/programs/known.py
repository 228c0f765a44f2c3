"""Programs that are known to do more than read: what to tell the person about them."""

_GROUPS = {
    "reaches the network": (
        "curl wget ssh scp sftp rsync ftp nc ncat netcat socat telnet ping ping6 dig host nslookup"
        " whois traceroute tracepath mtr nmap getent gh glab hub aws gcloud az kubectl helm doctl"
        " heroku fly vercel netlify wrangler http https xh httpie aria2c axel yt-dlp lynx w3m links"
        " openssl sendmail mail mutt ntpdate rclone s3cmd mosh cloudflared ngrok"
    ),
    "installs or fetches packages": (
        "npm pnpm yarn bun bunx npx pnpx pip pip3 pipx uv uvx poetry pdm pipenv conda mamba gem"
        " bundle composer cargo go brew apt apt-get aptitude dpkg dnf yum rpm zypper pacman apk"
        " snap flatpak port nix nix-env easy_install cpan luarocks"
    ),
    "runs code": (
        "python python2 python3 node deno ruby perl php lua luajit R Rscript julia ghci runghc irb"
        " ipython jupyter tclsh wish osascript groovy scala kotlin java jshell swift ts-node tsx"
        " gdb lldb vim vi nvim ex ed emacs nano less more man bc dc expect"
    ),
    "runs another command": (
        "sh bash zsh dash ksh fish csh tcsh busybox toybox env sudo doas su nice nohup timeout time"
        " xargs exec eval source . builtin stdbuf script watch flock setsid ionice chroot unshare"
        " nsenter strace ltrace parallel entr direnv trap coproc runuser pkexec at batch"
        " systemd-run tmux screen"
    ),
    "runs code of the project": (
        "make gmake cmake ninja pytest tox nox mypy ruff black flake8 pylint eslint prettier tsc"
        " jest vitest mocha webpack vite rollup next gulp grunt gradle mvn ant sbt lein mix rake"
        " rspec just task docker docker-compose podman vagrant ansible"
        " ansible-playbook terraform pre-commit"
    ),
    "changes the system or its processes": (
        "systemctl service kill pkill killall crontab mount umount modprobe sysctl iptables nft ufw"
        " useradd userdel usermod passwd chown chgrp launchctl defaults renice swapoff swapon fdisk"
        " parted dd mkfs shutdown reboot halt poweroff init ip ifconfig route nmcli timedatectl"
    ),
    "shows the environment or other processes": (
        "env printenv set export declare ps top htop lsof w who"
    ),
    "changes the shell": (
        "alias unalias hash enable shopt unset readonly local typeset let read mapfile readarray"
        " ulimit history disown bg fg jobs wait exit return shift popd pushd dirs bind complete"
    ),
}
NETWORK = frozenset(_GROUPS["reaches the network"].split()) | frozenset(
    _GROUPS["installs or fetches packages"].split()
)
REASONS = {
    name: f"{name} {reason}"
    for reason, names in reversed(_GROUPS.items())
    for name in names.split()
}
"""By bare name: why it asks."""
