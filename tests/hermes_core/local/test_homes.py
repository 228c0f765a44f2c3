from pathlib import Path
from types import SimpleNamespace

import pytest

from hermes_core.local.homes import lies_in_a_project, lies_inside, planted_home


@pytest.fixture
def place(real_path: Path) -> Path:
    for folder in ("me/.hermes", "repo/sub/deep", "repo/settings", "plain/sub", "plain/settings"):
        (real_path / folder).mkdir(parents=True)
    (real_path / "repo" / ".git").mkdir()
    return real_path


@pytest.mark.parametrize(
    ("home", "root", "inside"),
    [
        ("repo/settings", "repo", True),
        ("repo", "repo", True),
        ("repo", "repo/sub", True),
        ("repo", "repo/sub/deep", True),
        ("repo/settings", "repo/sub", True),
        ("repo/settings", "plain", False),
        ("plain", "plain/sub", True),
        ("plain/settings", "plain/sub", False),
        ("elsewhere", "repo", False),
        ("me/.hermes", "me", False),
        ("me/.hermes", ".", False),
        ("me/.hermes", "me/.hermes/skills", False),
        ("me", "me/work", False),
        ("me/settings", "me", False),
        ("me/work/settings", "me/work", True),
    ],
)
def test_what_counts_as_inside(place: Path, home: str, root: str, inside: bool) -> None:
    environ = {"HOME": str(place / "me"), "HERMES_HOME": str(place / home)}
    assert lies_inside(place / home, [place / "nowhere", place / root], environ) is inside


@pytest.mark.parametrize("mark", [".git", ".envrc", "mise.toml", ".jj", ".devcontainer"])
def test_what_makes_a_project_of_the_folders_above(place: Path, mark: str) -> None:
    environ = {"HOME": str(place / "me")}
    assert not lies_inside(place / "plain/settings", [place / "plain/sub"], environ)
    (place / "plain" / mark).touch()
    assert lies_inside(place / "plain/settings", [place / "plain/sub"], environ)


def test_links_do_not_hide_it(place: Path) -> None:
    (place / "link").symlink_to(place / "repo" / "settings")
    environ = {"HOME": str(place / "me"), "HERMES_HOME": str(place / "link")}
    assert lies_inside(place / "link", [place / "repo" / "sub"], environ)
    assert lies_in_a_project(environ)


def test_a_home_that_is_a_repository_of_settings_is_no_project(place: Path) -> None:
    (place / "me" / ".git").mkdir()
    environ = {"HOME": str(place / "me"), "HERMES_HOME": str(place / "me" / "settings")}
    assert not lies_inside(place / "me" / "settings", [place / "me" / "work"], environ)
    assert not lies_in_a_project(environ)


def test_where_no_project_is_open_yet(place: Path) -> None:
    environ = {"HOME": str(place / "me")}
    assert not lies_in_a_project(environ)
    for home, doubtful in (("repo/settings", True), ("repo", True), ("plain", False)):
        environ["HERMES_HOME"] = str(place / home)
        assert lies_in_a_project(environ) is doubtful, home
    environ["HERMES_HOME"] = str(place / "me" / ".hermes")
    assert not lies_in_a_project(environ)


def test_a_home_of_the_users_that_a_project_made(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def account(_: int) -> SimpleNamespace:
        return SimpleNamespace(pw_dir=str(place / "me"))

    monkeypatch.setattr("hermes_core.local.homes.pwd.getpwuid", account)
    for home, project in (
        ("me", None),
        ("plain", None),
        ("repo", "repo"),
        ("repo/settings", "repo"),
        ("nowhere", None),
    ):
        found = planted_home({"HOME": str(place / home)})
        assert found == (place / project if project else None), home
    (place / "me" / ".git").mkdir()
    (place / ".git").mkdir()
    assert planted_home({"HOME": str(place / "me")}) is None
    assert planted_home({"HOME": str(place / "me" / "other")}) is None
    assert planted_home({"HOME": str(place / "plain")}) is None
    assert planted_home({}) is None
