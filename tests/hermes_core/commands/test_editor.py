"""Putting Hermes into editors' settings and out again, on a home of its own."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes_core.commands.editor import Change, apply, plan_install, plan_uninstall, rows
from hermes_core.commands.editor_table import EDITORS, Program, Surroundings, find_editor
from hermes_core.ground.errors import ConfigError
from hermes_core.local.jsonc_edit import load

PROGRAM = Program("/opt/bin/hermes", ("acp",))
ELSEWHERE = Program("/usr/bin/uvx", ("--from", "x", "hermes", "acp"), {"HERMES_HOME": "/h"})
ZED = find_editor("zed")
SETTINGS = """\
// mine
{
  "theme": "One Dark", // dark
  "agent_servers": {
    "Other": { "command": "x" },
  },
}
"""


class Desk:
    """A person's home, and where Hermes keeps its own things."""

    def __init__(self, folder: Path, env: Mapping[str, str] | None = None) -> None:
        self.user = folder / "user"
        self.home = self.user / ".hermes"
        self.user.mkdir()
        self.around = Surroundings(self.user, env or {}, "linux")

    @property
    def zed(self) -> Path:
        return self.user / ".config" / "zed" / "settings.json"

    def write(self, text: str, path: Path | None = None) -> Path:
        path = path or self.zed
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def install(self, name: str = "zed", program: Program = PROGRAM) -> Change:
        change = plan_install(find_editor(name), self.around, program, self.home)
        self.copy = apply(change, self.home)
        return change

    def uninstall(self, name: str = "zed") -> Change:
        change = plan_uninstall(find_editor(name), self.around, self.home)
        apply(change, self.home)
        return change

    def everything(self) -> dict[str, bytes]:
        """Every file outside of Hermes's own folder."""
        found = {}
        for path in self.user.rglob("*"):
            if path.is_file() and self.home not in path.parents:
                found[path.relative_to(self.user).as_posix()] = path.read_bytes()
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("name", [editor.name for editor in EDITORS])
def test_into_every_editor_and_out_leaves_nothing_behind(desk: Desk, name: str) -> None:
    first = desk.install(name)
    assert first.before is None
    assert PROGRAM.command in (first.after or "")
    assert first.diff.startswith("--- /dev/null\n")
    file = find_editor(name).place(desk.around)
    assert file.read_text(encoding="utf-8") == first.after
    again = plan_install(find_editor(name), desk.around, PROGRAM, desk.home)
    assert again.nothing
    assert again.diff == ""
    assert desk.uninstall(name).diff.splitlines()[1] == "+++ /dev/null"
    assert desk.everything() == {}
    assert sorted(p.name for p in desk.user.iterdir()) == [".hermes"]
    assert list((desk.home / "editors").iterdir()) == []


@pytest.mark.parametrize(
    "settings",
    [SETTINGS, "", "{}", "{\n}\n", '{"a":1}', "// only words\n", '\ufeff{\r\n\t"a": 1\r\n}\r\n'],
)
def test_out_again_restores_every_byte(desk: Desk, settings: str) -> None:
    desk.write(settings)
    before = desk.everything()
    change = desk.install()
    wanted = {"type": "custom", "command": "/opt/bin/hermes", "args": ["acp"], "env": {}}
    assert load(desk.zed.read_text(encoding="utf-8"))["agent_servers"]["Hermes"] == wanted
    assert change.diff
    desk.uninstall()
    assert desk.everything() == before


def test_comments_and_other_entries_stay(desk: Desk) -> None:
    desk.write(SETTINGS)
    change = desk.install()
    added = [line for line in change.diff.splitlines()[2:] if line[:1] in "+-"]
    assert added == [
        '+    "Hermes": {',
        '+      "type": "custom",',
        '+      "command": "/opt/bin/hermes",',
        '+      "args": ["acp"],',
        '+      "env": {}',
        "+    },",
    ]


def test_what_changed_meanwhile_stays_when_hermes_goes(desk: Desk) -> None:
    desk.write('{"theme": "Dark"}\n')
    desk.install()
    text = desk.zed.read_text(encoding="utf-8").replace("Dark", "Light")
    desk.write(text)
    desk.uninstall()
    assert desk.zed.read_text(encoding="utf-8") == '{"theme": "Light"}\n'


def test_an_entry_of_the_user_keeps_its_own_keys_and_comes_back(desk: Desk) -> None:
    mine = '{"agent_servers": {"Hermes": {"type": "registry", "env": {"A": "1"}, "mode": "x"}}}'
    desk.write(mine)
    desk.install(program=ELSEWHERE)
    entry = load(desk.zed.read_text(encoding="utf-8"))["agent_servers"]["Hermes"]
    assert entry == {
        "type": "custom",
        "env": {"A": "1", "HERMES_HOME": "/h"},
        "mode": "x",
        "command": "/usr/bin/uvx",
        "args": ["--from", "x", "hermes", "acp"],
    }
    desk.write(desk.zed.read_text(encoding="utf-8") + "// more\n")
    desk.uninstall()
    assert desk.zed.read_text(encoding="utf-8") == mine + "// more\n"


def test_another_command_replaces_the_first_and_all_is_undone_at_once(desk: Desk) -> None:
    desk.write(SETTINGS)
    desk.install()
    second = desk.install(program=ELSEWHERE)
    assert not second.nothing
    assert desk.copy is None, "the first copy is the one to keep"
    desk.uninstall()
    assert desk.zed.read_text(encoding="utf-8") == SETTINGS


def test_a_copy_is_kept_once_for_its_owner_alone(desk: Desk) -> None:
    desk.write(SETTINGS)
    desk.install()
    assert desk.copy is not None
    assert desk.copy.read_text(encoding="utf-8") == SETTINGS
    assert desk.copy.stat().st_mode & 0o777 == 0o600
    assert desk.home in desk.copy.parents
    desk.uninstall()
    desk.write("{}")
    desk.install()
    assert desk.copy is None


def test_an_entry_that_went_by_hand_is_put_in_anew(desk: Desk) -> None:
    desk.write(SETTINGS)
    desk.install()
    desk.write("{}")
    desk.install()
    desk.uninstall()
    assert desk.zed.read_text(encoding="utf-8") == "{}"


def test_a_link_is_followed_to_the_real_file(desk: Desk, tmp_path: Path) -> None:
    real = desk.write(SETTINGS, tmp_path / "dotfiles" / "zed.json")
    desk.zed.parent.mkdir(parents=True)
    desk.zed.symlink_to("../../../dotfiles/zed.json")
    assert desk.install().real == real
    assert desk.zed.is_symlink()
    assert "Hermes" in real.read_text(encoding="utf-8")
    desk.uninstall()
    assert desk.zed.is_symlink()
    assert real.read_text(encoding="utf-8") == SETTINGS


@pytest.mark.parametrize("whole", [True, False], ids=["file", "folder"])
def test_a_link_that_leads_nowhere_is_not_written_through(desk: Desk, whole: bool) -> None:
    link = desk.zed if whole else desk.zed.parent
    link.parent.mkdir(parents=True)
    link.symlink_to(desk.user / "gone")
    with pytest.raises(ConfigError, match=r"is a link to .*gone, which is not there"):
        desk.install()
    assert not (desk.user / "gone").exists()


def test_a_file_that_cannot_be_read_is_told_with_its_place_and_left(desk: Desk) -> None:
    desk.write('{\n  "a": 1\n  "b": 2\n}\n')
    before = desk.everything()
    with pytest.raises(ConfigError, match=r"cannot be changed: line 3, column 3: a comma or }"):
        desk.install()
    assert desk.everything() == before
    (row,) = [row for row in rows(desk.around, PROGRAM, desk.home) if row.editor is ZED]
    assert row.installed is None
    assert "line 3" in row.state


def test_other_oddities_are_refused(desk: Desk) -> None:
    desk.zed.mkdir(parents=True)
    with pytest.raises(ConfigError, match="not a file"):
        desk.install()
    desk.zed.rmdir()
    desk.zed.write_bytes(b"{\xff}")
    with pytest.raises(ConfigError, match="not UTF-8"):
        desk.install()
    desk.write('{"agent_servers": ["x"]}')
    with pytest.raises(ConfigError, match='"agent_servers" is there, but it is no object'):
        desk.install()


def test_a_read_only_file_is_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(SETTINGS)
    allowed = os.access

    def access(path: os.PathLike[str], mode: int) -> bool:  # root may write anything
        return mode != os.W_OK and allowed(path, mode)

    monkeypatch.setattr(os, "access", access)
    with pytest.raises(ConfigError, match="read-only"):
        desk.install()
    assert desk.zed.read_text(encoding="utf-8") == SETTINGS


def test_a_file_that_changes_between_look_and_write_is_left(desk: Desk) -> None:
    desk.write(SETTINGS)
    change = plan_install(ZED, desk.around, PROGRAM, desk.home)
    desk.write("{}")
    with pytest.raises(ConfigError, match="changed meanwhile"):
        apply(change, desk.home)
    assert desk.zed.read_text(encoding="utf-8") == "{}"


def test_permissions_of_the_file_stay(desk: Desk) -> None:
    desk.write(SETTINGS).chmod(0o640)
    desk.install()
    assert desk.zed.stat().st_mode & 0o777 == 0o640


def test_without_a_record_what_is_recognised_goes(desk: Desk) -> None:
    desk.write(SETTINGS)
    desk.install()
    for file in (desk.home / "editors").iterdir():
        file.unlink()
    desk.uninstall()
    assert desk.zed.read_text(encoding="utf-8") == SETTINGS


def test_a_record_that_cannot_be_read_is_told(desk: Desk) -> None:
    (desk.home / "editors").mkdir(parents=True)
    (desk.home / "editors" / "zed.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        desk.install()


def test_out_of_an_editor_that_it_was_never_in_changes_nothing(desk: Desk) -> None:
    desk.write(SETTINGS)
    change = plan_uninstall(ZED, desk.around, desk.home)
    assert change.nothing
    assert plan_uninstall(find_editor("acpx"), desk.around, desk.home).nothing


def test_a_file_of_the_users_under_our_name_is_left(desk: Desk) -> None:
    place = find_editor("avante").place(desk.around)
    desk.write("-- mine\n", place)
    for plan in (
        lambda: plan_install(find_editor("avante"), desk.around, PROGRAM, desk.home),
        lambda: plan_uninstall(find_editor("avante"), desk.around, desk.home),
    ):
        with pytest.raises(ConfigError, match="Hermes did not write it"):
            plan()


def test_a_chosen_file_is_remembered(desk: Desk, tmp_path: Path) -> None:
    chosen = desk.write("{}", tmp_path / "preview" / "settings.json")
    apply(plan_install(ZED, desk.around, PROGRAM, desk.home, chosen), desk.home)
    (row,) = [row for row in rows(desk.around, PROGRAM, desk.home) if row.editor is ZED]
    assert row.installed
    assert str(chosen) in row.state
    assert desk.uninstall().real == chosen
    assert chosen.read_text(encoding="utf-8") == "{}"


def test_the_list_tells_of_each(desk: Desk) -> None:
    desk.write(SETTINGS)
    assert {row.state for row in rows(desk.around, PROGRAM, desk.home)} == {"not installed"}
    desk.install()
    desk.install("acpx")
    states = {row.editor.name: row.state for row in rows(desk.around, PROGRAM, desk.home)}
    assert states["zed"] == states["acpx"] == "installed"
    assert states["jetbrains"] == "not installed"
    states = {row.editor.name: row.state for row in rows(desk.around, ELSEWHERE, desk.home)}
    assert states["zed"] == "installed, with another command"


# Where the files are


def places(tmp_path: Path, platform: str, env: Mapping[str, str]) -> dict[str, str]:
    around = Surroundings(tmp_path, env, platform)
    return {e.name: e.place(around).as_posix().removeprefix(f"{tmp_path}/") for e in EDITORS}


def test_places_on_linux(tmp_path: Path) -> None:
    assert places(tmp_path, "linux", {}) == {
        "zed": ".config/zed/settings.json",
        "jetbrains": ".jetbrains/acp.json",
        "codecompanion": ".config/nvim/lua/hermes-codecompanion.lua",
        "agentic": ".config/nvim/lua/hermes-agentic.lua",
        "avante": ".config/nvim/lua/hermes-avante.lua",
        "agent-shell": ".emacs.d/hermes-agent-shell.el",
        "jupyter": ".jupyter/personas/hermes_persona.py",
        "acpx": ".acpx/config.json",
    }


def test_places_by_xdg(tmp_path: Path) -> None:
    (tmp_path / "x" / "emacs").mkdir(parents=True)
    env = {"XDG_CONFIG_HOME": f"{tmp_path}/x", "NVIM_APPNAME": "lazy"}
    found = places(tmp_path, "linux", env)
    assert found["zed"] == "x/zed/settings.json"
    assert found["avante"] == "x/lazy/lua/hermes-avante.lua"
    assert found["agent-shell"] == "x/emacs/hermes-agent-shell.el"
    mac = places(tmp_path, "darwin", env)
    assert mac["zed"] == ".config/zed/settings.json", "Zed knows XDG on Linux alone"
    assert mac["avante"] == "x/lazy/lua/hermes-avante.lua"
    assert places(tmp_path, "linux", {"XDG_CONFIG_HOME": "rel"})["zed"].startswith(".config/")


def test_emacs_prefers_the_old_places(tmp_path: Path) -> None:
    (tmp_path / ".config" / "emacs").mkdir(parents=True)
    assert places(tmp_path, "linux", {})["agent-shell"].startswith(".config/emacs/")
    (tmp_path / ".emacs").touch()
    assert places(tmp_path, "linux", {})["agent-shell"].startswith(".emacs.d/")


def test_zed_from_flatpak(tmp_path: Path) -> None:
    packed = tmp_path / ".var/app/dev.zed.Zed/config/zed/settings.json"
    packed.parent.mkdir(parents=True)
    packed.touch()
    assert places(tmp_path, "linux", {})["zed"].startswith(".var/app/")
    own = tmp_path / ".config/zed/settings.json"
    own.parent.mkdir(parents=True)
    own.touch()
    assert places(tmp_path, "linux", {})["zed"].startswith(".config/")


@pytest.mark.parametrize("name", ["neovim", "EMACS", "vscode", "nano"])
def test_an_unknown_editor_is_answered_with_the_names(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_editor(name)
    assert all(editor.name in str(caught.value) for editor in EDITORS)
    assert ("For " in str(caught.value)) == (name != "nano")


def test_no_entry_holds_what_json_does_not(desk: Desk) -> None:
    for name in ("zed", "jetbrains", "acpx"):
        json.loads(desk.install(name, ELSEWHERE).after or "")
