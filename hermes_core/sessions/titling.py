"""The titles of sessions, and who gave them: a title given by a person is replaced by nobody else.

Every function here raises ``StoreError``.
"""

import unicodedata
from typing import Literal

from hermes_core.sessions.store import Store, encode

TitledBy = Literal["prompt", "model", "person"]

LONGEST = 120
"""Characters of a title that are kept."""

_SET = """
    UPDATE sessions SET title = :title, titled = :by
    WHERE id = :id AND (:by = 'person' OR titled <> 'person' AND (:by = 'model' OR titled = :by))
"""


def clean_title(text: str) -> str:
    """Return ``text`` as a title: one line, nothing hidden in it, ``LONGEST`` characters at most.

    Empty if nothing of it can be seen.
    """
    line = seen(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def seen(text: str) -> str:
    """Return what can be seen of ``text``, as one line: nothing in it steers or hides."""
    shown = "".join(
        " " if unicodedata.category(one) in ("Zl", "Zp", "Cc") else one
        for one in text
        if unicodedata.category(one) not in ("Cf", "Cs", "Co") or one == "\u200d"
    )
    return " ".join(shown.split()).strip("\u200d ")


def set_title(store: Store, session_id: str, title: str, by: TitledBy) -> bool:
    """Give a session a title; return whether it has it now.

    A person's title stays before a model's, and both before the prompt's. The session keeps its
    place in the list.
    """
    with store.database.transaction() as db:
        values = {"title": encode(title), "by": by, "id": session_id}
        return bool(db.execute(_SET, values).rowcount)


def titled_by(store: Store, session_id: str) -> TitledBy:
    """Return who gave a session the title that it has."""
    rows = store.database.rows("SELECT titled FROM sessions WHERE id = ?", (session_id,))
    by: TitledBy = rows[0][0] if rows else "prompt"
    return by
