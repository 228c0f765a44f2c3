from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from hermes_core.local.config_keys import KEYS, SECTIONS, SET_FOR_COMMANDS, VARIABLES, reference
from hermes_core.local.descendants import MARK
from hermes_core.local.login_shell import RESOLVING
from hermes_core.local.provider_keys import (
    CHOICE_KEYS,
    ENTRY_KEYS,
    LOGIN_KEYS,
    STRUCTURES,
    TASK_KEYS,
    TASKS,
)
from hermes_core.local.provider_settings import AuxiliaryTask, Choice, NamedProvider
from hermes_core.local.setting import Key

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_the_page_is_what_the_table_gives() -> None:
    again = (
        "write it anew: python -c 'import hermes_core.local.config_keys as k; "
        'open("docs/configuration.md", "w").write(k.reference())\''
    )
    assert PAGE.read_text(encoding="utf-8") == reference(), again


def test_the_page_names_every_key_and_variable() -> None:
    text = reference()
    for key in KEYS:
        assert f"| `{key.name}` |" in text
    for name, _ in (*VARIABLES, *SET_FOR_COMMANDS):
        assert f"| `{name}` |" in text


def test_the_page_names_the_variables_that_the_code_sets() -> None:
    assert {name for name, _ in SET_FOR_COMMANDS} == {MARK, RESOLVING}


def test_names_are_unique_and_have_one_dot() -> None:
    names = [key.name for key in KEYS]
    assert len(set(names)) == len(names)
    assert len({key.field for key in KEYS}) == len(KEYS)
    assert all(name.count(".") == 1 for name in names)
    assert SECTIONS == (
        "model",
        "agent",
        "delegation",
        "approvals",
        "memory",
        "compression",
        "terminal",
        "sandbox",
        "titles",
        "plugins",
        "bedrock",
    )


@pytest.mark.parametrize("keys", [KEYS, ENTRY_KEYS, CHOICE_KEYS, TASK_KEYS, LOGIN_KEYS])
def test_every_default_is_within_its_bounds(keys: tuple[Key, ...]) -> None:
    for key in keys:
        if isinstance(key.default, (int, float)):
            assert key.minimum <= key.default <= key.maximum, key.name
        if key.choices:
            assert key.default is None or key.default in key.choices


def test_the_page_names_every_key_of_an_entry() -> None:
    text = reference()
    for structure in STRUCTURES:
        assert f"### {structure.heading}" in text
        assert all(f"| `{key.name}` |" in text for key in structure.keys)
    assert all(f"`{task}`" in text for task in TASKS)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [(ENTRY_KEYS, NamedProvider), (CHOICE_KEYS, Choice), (TASK_KEYS, AuxiliaryTask)],
)
def test_the_tables_of_entries_and_the_values_agree(keys: tuple[Key, ...], kind: type) -> None:
    found = {field.name: field.default for field in fields(kind)}
    names = [name for key in keys for name in (key.name, *key.spellings)]
    assert len(set(names)) == len(names)
    for key in keys:
        if key.type in ("secret", "data"):
            assert key.field in found
        elif found[key.field] is not MISSING:
            assert found[key.field] == key.default, key.name
