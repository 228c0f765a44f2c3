"""Rules that last: the file as people see and edit it, and what of it does not count."""

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_core.approval.rules import FILE_NAME, WORKSPACE_FILE, Answered, Kind, Rule, Rules
from hermes_core.ground.errors import ConfigError
from hermes_core.local.yaml_file import read_yaml

WATCHDOG = 60.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / ".hermes").mkdir(parents=True)
    return project


@pytest.fixture
def touch(project: Path) -> Rule:
    return Rule("allow", "program", "touch", str(project), "writes files", "2026-01-02")


def deny(rule: Rule) -> Rule:
    return replace(rule, answer="deny")


def written(home: Path, text: str) -> Rules:
    home.mkdir(exist_ok=True)
    (home / FILE_NAME).write_text(text, encoding="utf-8")
    return Rules(home)


# The file


def test_the_file_explains_itself_and_is_private(home: Path, project: Path, touch: Rule) -> None:
    assert Rules(home).add(touch) == ""
    path = home / FILE_NAME
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# What you answered")
    assert text.partition("rules:\n")[2] == (
        '  - answer: "allow"\n'
        '    kind: "program"\n'
        '    what: "touch"\n'
        '    effect: "writes files"\n'
        f'    workspace: "{project}"\n'
        '    since: "2026-01-02"\n'
    )
    assert path.stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_rule_lasts_and_is_kept_once(home: Path, touch: Rule) -> None:
    rules = Rules(home)
    rules.add(touch)
    rules.add(touch)
    assert rules.all() == [touch]
    later = Rules(home)
    assert later.add(touch) == ""
    assert later.all() == [touch]
    assert later.find([touch], "allow") == touch
    assert later.find([touch], "deny") is None
    assert later.find([replace(touch, workspace="/elsewhere")], "allow") is None
    assert later.find([replace(touch, what="rm")], "allow") is None


def test_what_is_allowed_holds_for_its_effect_alone_a_denial_for_any(
    home: Path, touch: Rule
) -> None:
    rules = Rules(home)
    rules.add(touch)
    other = replace(touch, effect="deletes files")
    assert rules.find([other], "allow") is None
    rules.add(deny(touch))
    assert rules.find([other], "deny") == deny(touch)


def test_a_hand_edit_counts_at_once(home: Path, touch: Rule) -> None:
    rules = Rules(home)
    rules.add(touch)
    path = home / FILE_NAME
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"touch"', "mkdir  # by hand"), encoding="utf-8")
    assert rules.find([touch], "allow") is None
    assert rules.find([replace(touch, what="mkdir")], "allow")
    path.unlink()
    assert rules.all() == []


def test_comments_and_unknown_keys_stay(home: Path, touch: Rule) -> None:
    text = (
        "# mine\nother: 1\nrules:\n  # why\n"
        "  - {answer: deny, kind: command, what: make, workspace: /w, note: 'x'}\n"
    )
    rules = written(home, text)
    assert rules.all() == [Rule("deny", "command", "make", "/w")]
    assert rules.problems() == ()
    rules.add(touch)
    assert (home / FILE_NAME).read_text(encoding="utf-8").startswith(text)
    assert rules.revoke(2) == touch
    assert (home / FILE_NAME).read_text(encoding="utf-8") == text


def test_the_home_may_be_written_with_a_tilde(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    text = "rules:\n- {answer: deny, kind: command, what: make, workspace: ~/project}\n"
    assert written(home, text).all()[0].workspace == str(tmp_path / "project")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("just a text", "'just a text' is no rule"),
        ("{answer: maybe, kind: command, what: x, workspace: /w}", "an answer is one of allow"),
        ("{answer: allow, kind: [command], what: x, workspace: /w}", "a kind one of command"),
        ("{answer: allow, kind: command, what: 5, workspace: /w}", "needs the texts what"),
        ("{answer: allow, kind: command, what: x}", "needs the texts what and workspace"),
        ("{answer: true, kind: command, what: x, workspace: /w}", "an answer is one of"),
        ("", "is no rule"),
        ("{[1]: 2}", ""),
    ],
)
def test_a_broken_entry_is_named_and_the_others_count(home: Path, entry: str, said: str) -> None:
    good = "{answer: deny, kind: command, what: make, workspace: /w}"
    rules = written(home, f"rules:\n- {entry}\n- {good}\n")
    if not said:
        assert rules.all() == []
        assert "not valid YAML" in rules.problems()[0]
        return
    assert rules.all() == [Rule("deny", "command", "make", "/w")]
    (problem,) = rules.problems()
    assert problem.startswith(str(home / FILE_NAME))
    assert said in problem
    assert rules.revoke(1) == Rule("deny", "command", "make", "/w")
    assert entry in (home / FILE_NAME).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: {a: 1}\n", "has no list of rules"),
        ("rules: [\n", "not valid YAML"),
        ("just a text\n", "has no list of rules"),
        ("rules:\n- &a [*a]\n", "is no rule"),
        ("[" * 5_000, "YAML"),
        ("\x00", "YAML"),
    ],
)
def test_a_broken_file_allows_nothing_and_is_named(home: Path, text: str, said: str) -> None:
    rules = written(home, text)
    assert rules.all() == []
    assert said in rules.problems()[0]
    assert str(home / FILE_NAME) in rules.problems()[0]


@pytest.mark.parametrize("text", ["", "# nothing\n", "rules:\n", "rules: []\n", "{}\n"])
def test_a_file_without_rules_is_no_problem(home: Path, text: str) -> None:
    rules = written(home, text)
    assert (rules.all(), rules.problems()) == ([], ())


def test_what_is_no_file_or_too_large_is_named(home: Path) -> None:
    rules = written(home, "#" * 1_000_001)
    assert "larger than" in rules.problems()[0]
    (home / FILE_NAME).unlink()
    os.mkfifo(home / FILE_NAME)
    assert "not a regular file" in rules.problems()[0]


@given(
    what=st.text(min_size=1, max_size=60),
    effect=st.text(max_size=20).filter(lambda one: one.strip() or not one),
    answer=st.sampled_from(get_args(Answered)),
    kind=st.sampled_from(get_args(Kind)),
    more=st.text(min_size=1, max_size=20),
)
@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_rule_comes_back_as_it_was(
    tmp_path: Path, *, what: str, effect: str, answer: Answered, kind: Kind, more: str
) -> None:
    home = tmp_path / "any"
    (home / FILE_NAME).unlink(missing_ok=True)
    one = Rule(answer, kind, what, str(tmp_path), effect, "2026-01-01")
    two = replace(one, what=what + more)
    rules = Rules(home)
    assert (rules.add(one), rules.add(two)) == ("", "")
    assert Rules(home).all() == [one, two]
    assert Rules(home).problems() == ()
    assert rules.revoke(1) == one
    assert rules.all() == [two]


def test_a_path_of_odd_bytes_breaks_no_file(home: Path, touch: Rule) -> None:
    rules = Rules(home)
    rules.add(touch)
    odd = Rule("allow", "edit", "/w/caf\udce9", "/w", since="2026-01-01")
    assert "bytes that are no text" in rules.add(odd)
    assert rules.find([odd], "allow") == odd
    assert Rules(home).all() == [touch]


def test_an_entry_that_unfolds_without_end_is_named_at_once(home: Path) -> None:
    lines = ["- &a0 [x, x]", *(f"- &a{n + 1} [*a{n}, *a{n}, {{k: *a{n}}}]" for n in range(40))]
    lines += ["- {answer: deny, kind: command, what: *a40, workspace: /w}"]
    rules = written(home, "rules:\n" + "\n".join(lines) + "\n")
    assert rules.all() == []
    assert max(map(len, rules.problems())) < 1_000


# Revoking


@pytest.mark.parametrize("number", [0, -1, 2, 10**30])
def test_a_number_that_is_none_is_explained(home: Path, touch: Rule, number: int) -> None:
    rules = Rules(home)
    rules.add(touch)
    with pytest.raises(ConfigError, match=rf"no rule {number}: they are numbered from 1 to 1"):
        rules.revoke(number)
    assert rules.all() == [touch]


def test_without_rules_none_can_be_revoked(home: Path) -> None:
    with pytest.raises(ConfigError, match="There are no rules"):
        Rules(home).revoke(1)


# Where it cannot be kept


def test_what_cannot_be_written_holds_for_the_session_and_that_is_said(
    home: Path, touch: Rule
) -> None:
    home.write_text("a file in the place of the folder")
    rules = Rules(home)
    assert "cannot be" in rules.add(touch)
    assert rules.find([touch], "allow") == touch
    assert rules.all() == [touch]
    assert Rules(home).find([touch], "allow") is None
    assert rules.revoke(1) == touch
    assert rules.all() == []


def test_a_file_that_is_no_list_is_not_overwritten(home: Path, touch: Rule) -> None:
    rules = written(home, "rules: {a: 1}\n")
    assert "form that Hermes cannot change" in rules.add(touch)
    assert rules.find([touch], "allow") == touch
    assert (home / FILE_NAME).read_text(encoding="utf-8") == "rules: {a: 1}\n"


def test_without_a_home_rules_are_kept_in_memory(touch: Rule) -> None:
    rules = Rules()
    assert rules.add(touch) == ""
    assert rules.find([touch], "allow") == touch


def test_a_link_in_the_place_of_the_file_is_not_followed(
    home: Path, project: Path, touch: Rule
) -> None:
    Rules(home).add(touch)
    (home / FILE_NAME).rename(project / "theirs.yaml")
    before = (project / "theirs.yaml").read_text(encoding="utf-8")
    (home / FILE_NAME).symlink_to(project / "theirs.yaml")
    rules = Rules(home)
    assert rules.find([touch], "allow") is None
    assert "is a link, which is not followed" in rules.problems()[0]
    assert "is a link" in rules.add(replace(touch, what="mkdir"))
    assert (project / "theirs.yaml").read_text(encoding="utf-8") == before


# A workspace's own


ENTRY = "{{answer: {0}, kind: command, what: make, workspace: {1}}}"


def test_a_workspace_may_only_tighten(home: Path, project: Path) -> None:
    make = Rule("allow", "command", "make", str(project))
    entries = [ENTRY.format("allow", project), ENTRY.format("deny", "/elsewhere")]
    theirs = project / WORKSPACE_FILE
    theirs.write_text(f"rules: [{entries[0]}]\n")
    rules = Rules(home, project)
    assert rules.find([make], "allow") is None
    assert rules.problems() == (f"{theirs}: it may not allow 'make'.",)
    assert rules.all() == []
    theirs.write_text(f"rules: [{entries[1]}]\n")
    assert rules.find([make], "deny") == deny(make), "it is about its own folder, whatever it says"
    assert Rules(home, project.parent).find([make], "deny") is None


@pytest.mark.parametrize("part", ["file", "folder"])
def test_a_workspace_file_is_not_followed_through_links(
    home: Path, project: Path, tmp_path: Path, part: str
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / FILE_NAME).write_text(f"rules: [{ENTRY.format('deny', '/w')}]\n")
    if part == "file":
        (project / WORKSPACE_FILE).symlink_to(away / FILE_NAME)
    else:
        (project / ".hermes").rmdir()
        (project / ".hermes").symlink_to(away)
    rules = Rules(home, project)
    assert rules.find([Rule("deny", "command", "make", str(project))], "deny") is None
    assert "is a link" in rules.problems()[0]


def test_a_broken_workspace_file_is_named(home: Path, project: Path) -> None:
    (project / WORKSPACE_FILE).write_text("rules: [\n")
    assert str(project / WORKSPACE_FILE) in Rules(home, project).problems()[0]


def test_in_the_folder_that_holds_our_home_there_is_one_file(tmp_path: Path) -> None:
    home = tmp_path / ".hermes"
    touch = Rule("allow", "program", "touch", str(tmp_path), "writes files", "2026-01-02")
    elsewhere = Rule("deny", "command", "make", "/elsewhere", since="2026-01-02")
    rules = Rules(home, tmp_path)
    rules.add(touch)
    rules.add(elsewhere)
    assert rules.problems() == ()
    assert rules.find([touch], "allow") == touch
    assert rules.find([replace(elsewhere, workspace=str(tmp_path))], "deny") is None


# Several at once


def in_threads(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WATCHDOG)
        assert not thread.is_alive()


def test_writers_at_once_lose_nothing(home: Path, touch: Rule) -> None:
    shared = Rules(home)

    def add(number: int) -> None:
        rules = shared if number % 2 else Rules(home)
        for turn in range(4):
            assert rules.add(replace(touch, what=f"program-{number}-{turn}")) == ""

    in_threads(6, add)
    names = {one.what for one in Rules(home).all()}
    assert names == {f"program-{n}-{turn}" for n in range(6) for turn in range(4)}
    assert len(read_yaml(home / FILE_NAME).data["rules"]) == 24


def test_readers_beside_a_writer_see_whole_files(home: Path, touch: Rule) -> None:
    rules = Rules(home)
    rules.add(touch)
    seen: list[tuple[str, ...]] = []

    def work(number: int) -> None:
        for turn in range(30):
            if number:
                found = Rules(home)
                assert found.find([touch], "allow") == touch
                seen.append(found.problems())
            elif turn % 2:
                rules.revoke(2)
            else:
                rules.add(replace(touch, what="mkdir"))

    in_threads(3, work)
    assert set(seen) == {()}
