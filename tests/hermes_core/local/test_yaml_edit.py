"""Changing a person's YAML: the right value, and nothing else."""

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from hermes_core.ground.errors import ConfigError
from hermes_core.local.yaml_edit import BACKUP, YamlEdit

FULL = """\
# my settings
model:  # the usual one
  provider: openrouter
  default: some/model  # good
  # spare: other/model

agent:
  max_turns: 20

# tried in order
fallback_providers:
  - provider: deepseek   # cheap
    model: v4
  # the last resort
  - provider: zai
    model: glm

terminal: {timeout: 5}  # short
"""

FILES = {
    "full": FULL,
    "crlf": FULL.replace("\n", "\r\n"),
    "bom": "\ufeff" + FULL,
    "empty": "",
    "comment only": "# nothing yet\n",
    "no final newline": "agent:\n  max_turns: 20",
    "null section": "model:\n# after\nagent:\n  max_turns: 1\n",
    "empty section": "model: {}  # later\nagent:\n  max_turns: 1\n",
    "flow section": "model: {provider: a, default: b}\n# end\n",
    "document marks": "---\nmodel:\n  provider: a\n",
    "anchors": "base: &b {x: 1}\nmodel:\n  provider: a\nother: *b\n",
    "null value": "model:\n  provider:\n  default: ~  # none\n",
    "quoted": "model:\n  'provider': 'a'\n  \"default\": \"b # no comment\"  # a comment\n",
    "odd words": "model:\n  provider: yes\n  default: 12:30\n",
    "block text": "model:\n  provider: a\n  note: |\n    # no comment\n    text\n\n# end\n",
    "wide indent": "model:\n      provider: a\n      default: b\n",
    "last section": "agent:\n  max_turns: 1\nmodel:\n  provider: a\n\n# end\n",
}


def comments(text: str) -> list[str]:
    """Return the comments of a text, told apart from strings by the YAML library itself."""
    lines = (line for line in text.splitlines() if "#" in line and "no" not in line)
    return [line[line.index("#") :] for line in lines]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def written(path: Path, text: str) -> YamlEdit:
    path.write_text(text, encoding="utf-8", newline="")
    return YamlEdit(path)


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8-sig"))


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_values_are_set_and_all_else_stays(text: str, path: Path) -> None:
    before = yaml.safe_load(text.removeprefix("\ufeff")) or {}
    edit = written(path, text)
    edit.set("model", {"provider": "custom:lab", "default": "a/b:c # d"})
    edit.save()
    expected = {**before, "model": {**(before.get("model") or {})}}
    expected["model"] |= {"provider": "custom:lab", "default": "a/b:c # d"}
    assert read(path) == expected
    new = path.read_bytes().decode()
    for comment in comments(text):
        assert comment in new
    if "\r\n" in text:
        assert new.count("\n") == new.count("\r\n")
    assert new.startswith("\ufeff") == text.startswith("\ufeff")


def test_only_the_lines_of_the_change_differ(path: Path) -> None:
    edit = written(path, FULL)
    edit.set("model", {"default": "new"})
    edit.save()
    assert path.read_text() == FULL.replace("some/model", "new")


def test_a_key_is_taken_out_with_its_line(path: Path) -> None:
    edit = written(path, FULL)
    edit.set("model", {"default": None, "base_url": None})
    edit.save()
    assert path.read_text() == FULL.replace("  default: some/model  # good\n", "")


@pytest.mark.parametrize("text", ["yes", "on", "12:30", "1e3", "null", "~", "0x1", "- a", "a: b"])
def test_a_text_stays_a_text(text: str, path: Path) -> None:
    edit = written(path, "model:\n  provider: a\n")
    edit.set("model", {"default": text})
    edit.save()
    assert read(path)["model"]["default"] == text


LISTS = {
    "block": FULL,
    "crlf": FULL.replace("\n", "\r\n"),
    "unindented": "fallback_providers:\n- provider: deepseek\n  model: v4\n- {provider: zai, "
    "model: glm}\n# end\nagent:\n  max_turns: 1\n",
    "flow": "fallback_providers: [{provider: deepseek, model: v4}, {provider: zai, model: glm}]\n",
    "at the end": "# top\nfallback_providers:\n  - provider: deepseek\n    model: v4\n"
    "  - provider: zai\n    model: glm",
}
ITEM = {"provider": "custom:lab", "model": "m", "base_url": "http://127.0.0.1:1/v1"}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_list_grows_and_shrinks(text: str, path: Path) -> None:
    before = yaml.safe_load(text)
    edit = written(path, text)
    edit.append("fallback_providers", ITEM)
    edit.save()
    chain = before["fallback_providers"]
    assert read(path) == {**before, "fallback_providers": [*chain, ITEM]}
    for place in (1, 0):
        edit = YamlEdit(path)
        edit.remove("fallback_providers", place)
        edit.save()
    assert read(path) == {**before, "fallback_providers": [ITEM]}
    edit.remove("fallback_providers", 0)
    edit.save()
    assert read(path) == {k: v for k, v in before.items() if k != "fallback_providers"} or read(
        path
    ) in ({}, None)


def test_an_item_goes_with_its_own_comment_and_leaves_the_others(path: Path) -> None:
    edit = written(path, FULL)
    edit.remove("fallback_providers", 0)
    edit.save()
    gone = "  - provider: deepseek   # cheap\n    model: v4\n"
    assert path.read_text() == FULL.replace(gone, "")


def test_a_list_begins_where_there_was_none(path: Path) -> None:
    edit = YamlEdit(path)
    edit.append("fallback_providers", ITEM)
    edit.put("fallback_model", None)
    edit.save()
    assert read(path) == {"fallback_providers": [ITEM]}
    edit.put("fallback_providers", None)
    edit.save()
    assert read(path) is None


def test_the_file_is_copied_once_before_its_first_change(path: Path) -> None:
    copy = path.with_name(path.name + BACKUP)
    edit = written(path, FULL)
    edit.save()
    assert not copy.exists()
    edit.set("agent", {"max_turns": 21})
    edit.save()
    edit.set("agent", {"max_turns": 22})
    edit.save()
    assert copy.read_text() == FULL
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert read(path)["agent"]["max_turns"] == 22


@pytest.mark.parametrize(
    "text",
    ["model: just a text\n", "- a list\n", "model: [\n", "model: &m {a: 1}\nother: {<<: *m}\n"],
    ids=["text", "list", "broken", "merged"],
)
def test_what_cannot_be_changed_safely_is_refused_and_stays(text: str, path: Path) -> None:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        YamlEdit(path).set("model", {"a": "b"})
    assert str(path) in str(caught.value)
    assert path.read_text() == text
