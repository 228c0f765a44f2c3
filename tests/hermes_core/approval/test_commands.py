import os
import random
from pathlib import Path
from typing import Any

import pytest

from hermes_core.approval.commands import MAX_LENGTH, judge_command
from hermes_core.local.workspace import Workspace


def wrong(ground: Any, rows: list[dict[str, str]], expect: str) -> list[tuple[str, str, str]]:
    judged = [(row, ground.judge(row["cmd"]).verdict) for row in rows if row["expect"] == expect]
    return [(row["id"], row["cmd"], verdict) for row, verdict in judged if verdict != expect]


def test_nothing_that_should_ask_runs(ground: Any, rows: list[dict[str, str]]) -> None:
    assert wrong(ground, rows, "ask") == []


def test_harmless_commands_do_not_ask(ground: Any, rows: list[dict[str, str]]) -> None:
    assert wrong(ground, rows, "safe") == []


def test_the_irreversible_is_refused(ground: Any, rows: list[dict[str, str]]) -> None:
    assert wrong(ground, rows, "forbid") == []


def test_there_are_enough_rows(rows: list[dict[str, str]]) -> None:
    assert len(rows) > 2_000
    assert len({row["cmd"] for row in rows}) == len(rows)


def test_a_refusal_names_its_rule(ground: Any) -> None:
    verdict = ground.judge("sudo sh -c 'rm -rf /'")
    assert (verdict.verdict, verdict.rule) == ("forbid", "delete-system")
    assert verdict.reasons == ("it would delete /",)


def test_a_safe_verdict_holds_what_bash_will_run(ground: Any) -> None:
    verdict = ground.judge("cat 'README.md' src/*.py | grep -n \"def main\" && ls # all")
    assert verdict.programs == (
        ("cat", "README.md", "src/app.py", "src/util.py"),
        ("grep", "-n", "def main"),
        ("ls",),
    )


def test_an_asking_verdict_tells_programs_files_and_network(ground: Any) -> None:
    verdict = ground.judge("curl -s https://e.example | tee out.txt > log.txt")
    assert verdict.verdict == "ask"
    assert verdict.network
    assert "log.txt" in verdict.writes
    assert [argv[0] for argv in verdict.programs] == ["curl", "tee"]


@pytest.mark.parametrize(
    ("command", "scope"),
    [
        ("touch notes.txt", ("touch", "", "writes files")),
        ("git add src", ("git", "add", "changes what is staged")),
        ("mkdir -p a/b", ("mkdir", "", "creates folders")),
        ("touch ../x", None),
        ("touch .git/hooks/x", None),
        ("touch .vscode/settings.json", None),
        ("touch a && rm b", None),
        ("rm -rf src", None),
        ("python3 x.py", None),
        ("touch $X", None),
        ("npm test", None),
        ("git -c a=b commit", None),
    ],
)
def test_always_covers_modelled_changes_only(ground: Any, command: str, scope: Any) -> None:
    verdict = ground.judge(command)
    assert verdict.verdict == "ask"
    found = verdict.scope
    assert (found and (found.program, found.subcommand, found.effect)) == scope


def test_a_text_over_the_cap_is_not_looked_into(ground: Any) -> None:
    verdict = ground.judge("a" * (MAX_LENGTH + 1))
    assert (verdict.verdict, verdict.unclear) == ("ask", True)


@pytest.mark.parametrize("piece", ["$(", "`", "{a,b}", "a=$a$a;", "<<E\n", "find / -exec ", "(("])
def test_a_monstrous_text_asks(ground: Any, piece: str) -> None:
    text = (piece * MAX_LENGTH)[:MAX_LENGTH]
    verdict = ground.judge(text)
    assert (verdict.verdict, verdict.unclear) == ("ask", True)


def test_any_text_gets_a_verdict(ground: Any, rows: list[dict[str, str]]) -> None:
    rng = random.Random(7)
    texts = [row["cmd"] for row in rows]
    for _ in range(3_000):
        one, two = rng.choice(texts), rng.choice(texts)
        cut = rng.randrange(len(one) + 1)
        text = one[:cut] + rng.choice(["", " ", "'", '"', "\\", "$(", "\udcff"]) + two[cut:]
        assert ground.judge(text).verdict in ("safe", "ask", "forbid")


def test_a_workspace_that_holds_the_home_is_not_read_unasked(ground: Any) -> None:
    workspace = Workspace(ground.home)
    verdicts = {
        text: judge_command(text, workspace, home=ground.home).verdict
        for text in ("echo hi", "date", "ls", "cat proj/README.md", "git status", "rg x")
    }
    assert [text for text, verdict in verdicts.items() if verdict == "safe"] == ["echo hi", "date"]


def test_our_own_home_is_never_read_unasked(ground: Any) -> None:
    own = ground.proj / "data"
    command = "cat data/log.txt"
    assert ground.judge(command).verdict == "safe"
    verdict = judge_command(command, Workspace(ground.proj), home=ground.home, own=own)
    assert verdict.verdict == "ask"


def test_further_folders_belong_to_the_workspace(ground: Any) -> None:
    other = ground.home / "other"
    command = f"cat {other}/README.md"
    assert ground.judge(command).verdict == "ask"
    workspace = Workspace(ground.proj, (other,))
    assert judge_command(command, workspace, home=ground.home).verdict == "safe"


def test_a_program_of_the_workspace_is_not_trusted(ground: Any, tmp_path: Path) -> None:
    place = tmp_path / "bin/ls"
    place.parent.mkdir()
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    for path, verdict in (
        (str(place.parent), "ask"),
        (f"/usr/bin:/bin:{place.parent}", "safe"),
        ("/usr/bin:.", "safe"),
        (".:/usr/bin", "ask"),
        (":/usr/bin", "ask"),
        (os.path.join(os.sep, "nowhere"), "safe"),
    ):
        workspace = Workspace(tmp_path)
        found = judge_command("ls", workspace, home=ground.home, path=path)
        assert found.verdict == verdict, path
