"""Which folders a session may have."""

from pathlib import Path
from typing import Any

import pytest

from acp_server.methods.assembly import place_of
from acp_server.rpc.errors import INVALID_PARAMS, RpcError


def params(cwd: Any, *additional: Any) -> dict[str, Any]:
    return {"cwd": str(cwd), "additionalDirectories": [str(path) for path in additional]}


def refusal(sent: dict[str, Any], environ: dict[str, str]) -> RpcError:
    with pytest.raises(RpcError) as refused:
        place_of(sent, environ)
    assert refused.value.code == INVALID_PARAMS
    return refused.value


def test_folders_are_kept_as_the_client_spells_them(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    place = place_of(params(f"{link}/", real), {})
    assert (place.cwd, place.additional) == (link, (real,))
    assert place.roots == (link, real)


def test_additional_folders_may_be_left_out(tmp_path: Path) -> None:
    assert place_of({"cwd": str(tmp_path)}, {}).additional == ()
    assert place_of({"cwd": str(tmp_path), "additionalDirectories": None}, {}).additional == ()


@pytest.mark.parametrize(
    "cwd", ["", ".", "relative/path", "~", "/no/such/folder", "/\0", "/\ud800"]
)
def test_a_folder_that_is_none_is_refused_by_name(cwd: str, tmp_path: Path) -> None:
    assert "cwd" in refusal(params(cwd), {}).message
    assert "additionalDirectories[1]" in refusal(params(tmp_path, tmp_path, cwd), {}).message


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert "cwd" in refusal(params(tmp_path / "a"), {}).message


def test_a_home_inside_the_workspace_is_refused(tmp_path: Path) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    home = work / ".hermes"
    for folder in (home, other):
        folder.mkdir(parents=True)
    environ = {"HOME": str(tmp_path / "me"), "HERMES_HOME": str(home)}
    assert "HERMES_HOME" in refusal(params(work), environ).message
    assert "HERMES_HOME" in refusal(params(other, work), environ).message
    assert place_of(params(other), environ).cwd == other


def test_a_home_that_is_linked_out_of_the_workspace_is_refused_by_where_it_is(
    tmp_path: Path,
) -> None:
    work, link = tmp_path / "work", tmp_path / "link"
    (work / "home").mkdir(parents=True)
    link.symlink_to(work / "home")
    environ = {"HOME": str(tmp_path / "me"), "HERMES_HOME": str(link)}
    assert "HERMES_HOME" in refusal(params(work), environ).message


def test_the_usual_home_may_lie_inside(tmp_path: Path) -> None:
    (tmp_path / ".hermes").mkdir()
    environ = {"HOME": str(tmp_path)}
    assert place_of(params(tmp_path), environ).cwd == tmp_path
    environ["HERMES_HOME"] = str(tmp_path / ".hermes")
    assert place_of(params(tmp_path), environ).cwd == tmp_path


def test_the_users_own_home_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    environ = {"HOME": str(tmp_path / "me"), "HERMES_HOME": str(tmp_path / "settings")}
    assert place_of(params(tmp_path), environ).cwd == tmp_path
    assert place_of(params("/"), environ).cwd == Path("/")
