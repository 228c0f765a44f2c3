"""Finding a session by what a person types: its id, the beginning of it, or its title."""

from collections.abc import Sequence

from hermes_core.ground.errors import HermesError
from hermes_core.ground.typed import quoted
from hermes_core.sessions.search_text import fold
from hermes_core.sessions.store import SessionRow, Store, decode

SHORTEST_PREFIX = 4
"""Characters of an id that it takes to be recognised by them."""

_TITLES = """
    SELECT id, title FROM sessions WHERE prompted = 1 AND owner IS NULL ORDER BY touched DESC
"""
_NAMED = 5


class NotFound(HermesError):
    """No session is meant, or more than one could be."""


def find_session(store: Store, wanted: str) -> SessionRow:
    """Return the one session that ``wanted`` means.

    In this order: an id, the beginning of one, a whole title, a part of one. Raises ``NotFound``,
    with what there is if several fit, and ``StoreError``.
    """
    from hermes_core.sessions.lineage import addressed

    wanted = wanted.strip()
    if not wanted:
        raise NotFound("No session was named. Name its id, the beginning of it, or its title.")
    row = store.session(addressed(store, wanted))
    if row is not None:
        return row
    row = store.session(choose(wanted, titles(store)))
    if row is None:
        raise NotFound(f"The session {quoted(wanted)} was deleted just now.")
    return row


def titles(store: Store) -> list[tuple[str, str]]:
    """Return id and title of every session that holds a message, the last changed first."""
    return [(one, decode(title) or "") for one, title in store.database.rows(_TITLES)]


def last_session(store: Store, cwd: str) -> SessionRow:
    """Return the session of a folder that changed last; raise ``NotFound`` if there is none."""
    rows = store.sessions(cwd, limit=1)
    if not rows:
        raise NotFound(f"There is no earlier session in {cwd}. `hermes sessions list --all` tells.")
    return rows[0]


def choose(wanted: str, sessions: Sequence[tuple[str, str]]) -> str:
    """Return the id of the session that is meant; sessions: id and title, the newest first.

    Raises ``NotFound``.
    """
    wanted = wanted.strip()
    title = fold(wanted)
    ways = (
        [one for one in sessions if one[0] == wanted],
        [one for one in sessions if len(wanted) >= SHORTEST_PREFIX and one[0].startswith(wanted)],
        [one for one in sessions if fold(one[1]).strip() == title],
        [one for one in sessions if title in fold(one[1])],
    )
    fitting = next((found for found in ways if found), [])
    if not fitting:
        raise NotFound(
            f"There is no session {quoted(wanted)}: it is neither the beginning of an id nor in a "
            "title. `hermes sessions list` tells those there are."
        )
    if len(fitting) > 1:
        raise NotFound(_several(wanted, fitting))
    return fitting[0][0]


def short(session_id: str) -> str:
    """Return the beginning of an id that people are told."""
    return session_id[:8]


def _several(wanted: str, fitting: Sequence[tuple[str, str]]) -> str:
    named = [f"{short(one)} ({title})" if title else short(one) for one, title in fitting[:_NAMED]]
    more = "" if len(fitting) <= _NAMED else f" and {len(fitting) - _NAMED} more"
    return (
        f"Several sessions fit {quoted(wanted)}: {', '.join(named)}{more}. "
        "Name more of the id, or more of the title."
    )
