from pathlib import Path

from hermes_core.local.config_keys import KEYS, SECTIONS, SET_FOR_COMMANDS, VARIABLES, reference
from hermes_core.local.descendants import MARK
from hermes_core.local.login_shell import RESOLVING

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
    assert SECTIONS == ("model", "agent", "approvals", "terminal")


def test_every_default_is_within_its_bounds() -> None:
    for key in KEYS:
        if isinstance(key.default, (int, float)):
            assert key.minimum <= key.default <= key.maximum, key.name
        if key.choices:
            assert key.default in key.choices
