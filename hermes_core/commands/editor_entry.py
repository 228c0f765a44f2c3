"""What comes into an editor's file and goes out of it again; pure, from text to text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_core.commands.editor_table import Editor, Program
from hermes_core.ground.errors import ConfigError
from hermes_core.local.jsonc_edit import load, put, put_text, take, text_at

FOLDER = Path(__file__).with_name("editor_files")
ICON = FOLDER / "icon.svg"
MARK = "placed by `hermes editor install"
"""Stands in the first lines of every file of our own; a file without it is the user's."""


def with_entry(text: str, editor: Editor, program: Program) -> str:
    """Return settings with Hermes in them.

    Of an entry that is there, only what starts the program changes; what else the user wrote into
    it, such as variables or a default mode, stays. Raises ``JsoncError``.
    """
    if editor.entry is None:
        raise ValueError(f"{editor.name} has no settings file")
    wanted = editor.entry(program)
    there = value_at(load(text), editor.keys)
    if not isinstance(there, dict):
        return put(text, editor.keys, wanted)
    for key, value in wanted.items():
        if key == "env":
            text = _with_variables(text, (*editor.keys, key), there.get(key), value)
        elif there.get(key) != value:
            text = put(text, (*editor.keys, key), value)
    return text


def _with_variables(text: str, path: Sequence[str], there: Any, wanted: dict[str, str]) -> str:
    if not isinstance(there, dict):
        return put(text, path, wanted) if wanted else text
    for name, value in wanted.items():
        if there.get(name) != value:
            text = put(text, (*path, name), value)
    return text


def without_entry(text: str, editor: Editor, previous: str | None, parents: int) -> str:
    """Return settings without Hermes, or with ``previous``, the text that stood in its place.

    ``parents`` is how many objects around the entry were made for it; those that hold nothing else
    go too. Raises ``JsoncError``.
    """
    if text_at(text, editor.keys) is None:
        return text
    if previous is not None:
        return put_text(text, editor.keys, previous)
    text = take(text, editor.keys)
    for depth in range(len(editor.keys) - 1, len(editor.keys) - 1 - parents, -1):
        path = editor.keys[:depth]
        raw = text_at(text, path)
        if raw is None or raw.strip("{} \t\r\n"):
            break
        text = take(text, path)
    return text


def missing_parents(text: str, editor: Editor) -> int:
    """Return how many objects around the entry are not there yet."""
    path = editor.keys[:-1]
    there = [text_at(text, path[: depth + 1]) is not None for depth in range(len(path))]
    return there.count(False)


def value_at(data: Any, path: Sequence[str]) -> Any:
    """Return what stands at ``path`` in nested objects, or None."""
    for key in path:
        if not isinstance(data, dict):
            return None
        data = data.get(key)
    return data


def own_file(editor: Editor, program: Program) -> str:
    """Return the file of our own that an editor configured by code gets."""
    text = (FOLDER / editor.template).read_text(encoding="utf-8")
    command = [quoted(part) for part in (program.command, *program.args)]
    pairs = {quoted(name): quoted(value) for name, value in program.env.items()}
    if editor.template.endswith(".lua"):
        named = ", ".join(f"[{name}] = {value}" for name, value in pairs.items())
        found = ('{ "hermes", "acp" }', f"{{ {', '.join(command)} }}")
        empty = ("environment = {}", f"environment = {{ {named} }}")
    elif editor.template.endswith(".el"):
        named = " ".join(quoted(f"{name}={value}") for name, value in program.env.items())
        found = ('\'("hermes" "acp")', f"'({' '.join(command)})")
        empty = ("'()", f"'({named})")
    else:
        named = ", ".join(f"{name}: {value}" for name, value in pairs.items())
        found = ('["hermes", "acp"]', f"[{', '.join(command)}]")
        empty = ("ENVIRONMENT = {}", f"ENVIRONMENT = {{{named}}}")
        text = text.replace('AVATAR = ""', f"AVATAR = {quoted(str(ICON))}", 1)
    text = text.replace(*found, 1)
    return text.replace(*empty, 1) if pairs else text


def quoted(text: str) -> str:
    """Return a string in double quotes, as Lua, Emacs Lisp and Python read it alike.

    Raises ``ConfigError`` for control characters, which the three escape in different ways.
    """
    if not text.isprintable():
        raise ConfigError(
            f"{text!r} holds characters that no editor's configuration should hold.\n"
            "Install Hermes in a folder with a plain name."
        )
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
