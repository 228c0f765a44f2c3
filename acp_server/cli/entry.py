"""Where a person types prompts: one line, pasted text of many, with a history on disk."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from acp_server.cli.console import Quit, say

if TYPE_CHECKING:
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

MARK = "› "


class Entry:
    """Reads prompts from the terminal. Enter sends; Alt-Enter starts a new line."""

    def __init__(self, history: Path) -> None:
        from prompt_toolkit import PromptSession

        self._session: PromptSession[str] = PromptSession(
            history=_history(history),
            key_bindings=_bindings(),
            prompt_continuation="  ",
            enable_history_search=True,
            enable_open_in_editor=True,
        )

    async def read(self, begun: str = "") -> str | None:
        """Return what was typed; None at the end of input. ``begun`` stands there already.

        Ctrl-C empties the line; twice in an empty line raises ``Quit``.
        """
        interrupted = False
        while True:
            try:
                return await self._session.prompt_async(MARK, default=begun)
            except EOFError:
                return None
            except KeyboardInterrupt:
                begun = ""
                if self._session.default_buffer.text:
                    interrupted = False
                    continue
                if interrupted:
                    raise Quit from None
                interrupted = True
                say("  Ctrl-C again leaves.")

    def remember(self, prompts: Iterable[str]) -> None:
        """Keep prompts that were typed elsewhere."""
        for prompt in prompts:
            self._session.history.append_string(prompt)


def _history(path: Path) -> "History":
    """Return the history kept at ``path`` (0600), or one in memory where that cannot be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)
    except OSError:
        return InMemoryHistory()

    class KeptHistory(FileHistory):
        """A history whose file may vanish or fill the disk: the line stays in memory then.

        So does what was typed with ``/login``, which may be a key.
        """

        def store_string(self, string: str) -> None:
            if string.strip().lower().startswith("/login"):
                return
            with suppress(OSError):
                super().store_string(string)

    return KeptHistory(str(path))


def _bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()

    @bindings.add("escape", "enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    return bindings
