"""Lists in YAML files, changed entry by entry."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.ground.errors import ConfigError
from hermes_core.local.yaml_file import read_yaml
from hermes_core.local.yaml_list import append_entry, remove_entry

HEAD = "# A list.\n"


def entries(path: Path) -> Any:
    return (read_yaml(path).data or {}).get("rules")


def test_a_file_is_begun_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "home" / "a.yaml"
    append_entry(path, "rules", {"a": "1", "b": "x: [y] # z"}, HEAD)
    append_entry(path, "rules", {"a": "2"}, HEAD)
    assert path.read_text() == '# A list.\nrules:\n  - a: "1"\n    b: "x: [y] # z"\n  - a: "2"\n'
    assert path.stat().st_mode & 0o777 == 0o600
    assert entries(path) == [{"a": "1", "b": "x: [y] # z"}, {"a": "2"}]


HAND_MADE = """\
# mine
other: 1

rules:
  # the first
  - a: "1"   # here
    b: two

  # the second
  - {a: 2}
  - a: |
      3
      lines

last: yes
"""


def test_comments_and_other_keys_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HAND_MADE)
    append_entry(path, "rules", {"a": "4"}, HEAD)
    changed = path.read_text()
    assert [line for line in HAND_MADE.splitlines() if line not in changed.splitlines()] == []
    assert entries(path)[-1] == {"a": "4"}
    assert read_yaml(path).data["last"] is True
    remove_entry(path, "rules", 3)
    assert path.read_text() == HAND_MADE


@pytest.mark.parametrize("number", [0, 1, 2])
def test_one_entry_goes_and_no_comment_of_another(tmp_path: Path, number: int) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HAND_MADE)
    before = entries(path)
    remove_entry(path, "rules", number)
    assert entries(path) == before[:number] + before[number + 1 :]
    assert "# the first" in path.read_text()
    assert "# the second" in path.read_text()


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.text(), min_size=1), max_size=4))
def test_every_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[dict[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("list") / "a.yaml"
    for entry in wanted:
        append_entry(path, "rules", entry, HEAD)
    assert (entries(path) if wanted else []) == wanted
    for _ in wanted:
        remove_entry(path, "rules", 0)
    assert not wanted or not entries(path)


@pytest.mark.parametrize("text", ["rules: 3\n", "- a\n", "rules: [\n", "rules: {a: b}\n"])
def test_another_form_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        append_entry(path, "rules", {"a": "1"}, HEAD)
    assert path.read_text() == text


def test_an_entry_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="rules"):
        remove_entry(tmp_path / "a.yaml", "rules", 0)
    (tmp_path / "a.yaml").write_text("rules: []\n")
    with pytest.raises(ConfigError, match="no entry 1"):
        remove_entry(tmp_path / "a.yaml", "rules", 0)
