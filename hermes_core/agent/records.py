"""What the store keeps of a session beside its history: its title, what it used, its kin."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hermes_core.agent.compression.keeping import Remember
from hermes_core.agent.endings import Ending
from hermes_core.agent.engine import Engine
from hermes_core.agent.ledger import Ledger
from hermes_core.agent.own_tools.session_search import session_search_tool
from hermes_core.agent.session import Session
from hermes_core.agent.titles import Titles
from hermes_core.ground.content import Diff
from hermes_core.ground.errors import HermesError, StoreError
from hermes_core.ground.events import Emit, TitleChanged
from hermes_core.tools.registry import ToolSpec

if TYPE_CHECKING:
    from hermes_core.model.respond import Model
    from hermes_core.sessions.search import Now
    from hermes_core.sessions.store import SessionRow, Store


class Records:
    """The records of one session. ``titles`` are made by a model once they are enabled."""

    def __init__(self, session: Session, store: "Store", engine: Engine) -> None:
        self.store = store
        self._session = session
        self._engine = engine
        self._before_turn = 0
        self.ledger = Ledger(store, lambda: session.row.id, engine)
        self.titles = Titles(store, lambda: session.row.id, self.ledger, self._show_title)

    def tools(self) -> dict[str, ToolSpec]:
        """Return the tools that look into the records."""
        search = session_search_tool(self.store, self._now)
        return {search.name: search}

    def resume_cost(self) -> None:
        """Go on from what the session had cost, as it was stored. Raises ``StoreError``."""
        from hermes_core.sessions.usage import total

        used = total(self.ledger.session)
        if used is not None:
            self._engine.resume_cost(used.amount)

    def begin_turn(self) -> None:
        """Note where a turn begins."""
        from hermes_core.sessions.search import newest_message

        with suppress(StoreError):  # the turn itself will meet it
            self._before_turn = newest_message(self.store)
        self.ledger.begin_turn()

    def watch(self, model: "Model") -> Emit:
        """Return what a turn emits through: each call is counted before it is shown."""
        return self.ledger.watch(model, self._session.emit)

    def end_turn(self, ending: Ending) -> None:
        """Have a title made, if the turn came to its end and the session has none yet."""
        if ending.stop_reason == "end_turn" and ending.error is None:
            engine = self._engine
            self.titles.make(engine.config, engine.request, self._session.messages)

    def own(self, remember: Remember) -> Remember:
        """Return ``remember`` for sessions of this user: of an imported one nothing is kept."""

        def write(facts: Sequence[str], target: Literal["user", "memory"], /) -> Diff | None:
            from hermes_core.sessions.importing import is_imported

            if is_imported(self.store, self._session.row.id):
                return None
            return remember(facts, target)

        return write

    def rename(self, title: str) -> str:
        """Give the session a person's title, which nobody else replaces; return it.

        Raises ``HermesError`` for one of which nothing can be seen, and ``StoreError``.
        """
        from hermes_core.sessions.titling import clean_title, set_title

        cleaned = clean_title(title)
        if not cleaned:
            raise HermesError("A title needs at least one character that can be seen.")
        set_title(self.store, self._session.row.id, cleaned, "person")
        self._session.row = replace(self._session.row, title=cleaned)
        self._show_title(cleaned)
        return cleaned

    @property
    def title(self) -> str:
        """The session's title, ``""`` for none."""
        row = self.store.session(self._session.row.id)
        return (row.title if row else None) or ""

    def resume(self, wanted: str) -> "SessionRow":
        """Make this session, which must be empty, a copy of the one that ``wanted`` names.

        Returns what was copied. Raises ``HermesError``.
        """
        from hermes_core.sessions.copying import take_over
        from hermes_core.sessions.finding import find_session

        if self._session.conversation.messages:
            raise HermesError(
                "This session has begun already, and no other can take its place. Open a new "
                "session and type `/resume` there, or open the other one from the editor's list."
            )
        source = find_session(self.store, wanted)
        if source.id == self._session.row.id:
            raise HermesError("That is this session.")
        title = f"{source.title} (copy)" if source.title else None
        take_over(self.store, source.id, self._session.row.id, title)
        row = self.store.session(self._session.row.id)
        if row is not None:
            self._session.reload(row)
        if title:
            self._show_title(title)
        return source

    def close(self) -> None:
        """Stop what goes on in the background."""
        self.titles.cancel()

    def _now(self) -> "Now":
        from hermes_core.sessions.search import Now

        return Now(self._session.row.id, self._before_turn)

    def _show_title(self, title: str) -> None:
        self._session.emit(TitleChanged(title, time.time()))
