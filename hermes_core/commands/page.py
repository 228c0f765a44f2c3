"""The text of ``docs/commands.md``, made from the table of commands; a test holds it to that."""

from collections.abc import Iterable

from hermes_core.commands.seat import Command
from hermes_core.local.templates import LONGEST_FILE

_HEAD = """\
# Commands

<!-- Made from hermes_core/commands/table.py by page.page(). Do not edit by hand. -->

What begins with a slash and one of these names is answered by Hermes itself; no model reads it. It
works the same in every editor and in `hermes chat`. *At once*: it is answered while a turn runs;
the others wait until that has ended.

| Command | What it does | At once |
|---|---|:---:|
"""

_TAIL = f"""
Paths and whatever else begins with a slash go to the model. A name that is nearly one of these is
answered with the one that is probably meant, and the model is sent nothing.

`/new` opens a new session in `hermes chat`. In an editor only the editor can do that.

## Your own prompts

A file `commands/NAME.md` in `~/.hermes` is a command `/NAME`:

```markdown
---
description: Review a file as a colleague would
argument-hint: FILE [WHAT TO LOOK FOR]
---
Review $1. Look for mistakes that would be seen by users first. $ARGUMENTS
```

`$ARGUMENTS` is all that was typed behind the name, `$1` to `$9` its words, parted as a shell does.
Without any of them, what was typed is put at the end. The text is then a prompt like any other; it
is what the session shows when it is loaded again. Typed together with files or images, it stands
before them.

A name has letters, digits, `-` and `_`. It cannot be that of a command above. A file has at most
{LONGEST_FILE:,} bytes and is no link. Files that cannot be used are named by `/help` and by
`hermes doctor`, with the reason. Nothing is taken from the folder that is worked in: a repository
cannot add commands. New and changed files count at once; the editor's list follows after the next
answer.
"""


def page(commands: Iterable[Command]) -> str:
    """Return the page for ``commands``, in their order."""
    return _HEAD + "".join(map(_row, commands)) + _TAIL


def _row(command: Command) -> str:
    usage = command.usage.replace("|", "\\|")
    told = command.description.replace("|", "\\|")
    return f"| `/{usage}` | {told} | {'yes' if command.at_once else ''} |\n"
