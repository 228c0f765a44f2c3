"""What sessions used: calls, tokens and cost, by model. Adds up over restarts.

Every function here raises ``StoreError``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hermes_core.ground.usage import Usage
from hermes_core.sessions.store import Store

CHAT = ""
DELEGATED = "sub-agents"

_ADD = """
    INSERT INTO usage (session, task, provider, model, calls, input, output, cached, reasoning,
                       cost, unpriced)
    SELECT number, :task, :provider, :model, :calls, :input, :output, :cached, :reasoning,
           :cost, :unpriced
    FROM sessions WHERE id = :session
    ON CONFLICT (session, task, provider, model) DO UPDATE SET
        calls = calls + excluded.calls, input = input + excluded.input,
        output = output + excluded.output, cached = cached + excluded.cached,
        reasoning = reasoning + excluded.reasoning, cost = cost + excluded.cost,
        unpriced = unpriced + excluded.unpriced
"""
_SELECT = """
    SELECT CASE WHEN s.relation = 'delegated' AND s.number <> :number AND u.task = ''
                THEN :delegated ELSE u.task END AS task,
           u.provider, u.model, sum(u.calls), sum(u.input), sum(u.output), sum(u.cached),
           sum(u.reasoning), sum(u.cost), sum(u.unpriced)
    FROM usage u JOIN sessions s ON s.number = u.session
    WHERE s.number = :number OR s.owner = :number
    GROUP BY 1, 2, 3 ORDER BY 1, sum(u.input + u.output) DESC
"""


@dataclass(frozen=True, slots=True)
class Used:
    """What calls of one model used.

    task: ``""`` for the chat itself, else what the calls were for. calls: requests sent, failed
    ones too. cost: US dollars, an estimate; unpriced: calls whose price is not known.
    """

    provider: str
    model: str
    usage: Usage
    calls: int = 1
    cost: float = 0.0
    unpriced: int = 0
    task: str = CHAT

    def __add__(self, other: "Used") -> "Used":
        return replace(
            self,
            usage=self.usage + other.usage,
            calls=self.calls + other.calls,
            cost=self.cost + other.cost,
            unpriced=self.unpriced + other.unpriced,
        )

    @property
    def amount(self) -> float | None:
        """The cost; None where a price is not known."""
        return None if self.unpriced else self.cost


def add_usage(store: Store, session_id: str, used: Used) -> None:
    """Add to what a session used; nothing happens if there is no such session."""
    counts = used.usage
    with store.database.transaction() as db:
        db.execute(
            _ADD,
            {
                "session": session_id,
                "task": used.task,
                "provider": used.provider,
                "model": used.model,
                "calls": used.calls,
                "input": counts.input,
                "output": counts.output,
                "cached": counts.cached,
                "reasoning": counts.reasoning,
                "cost": used.cost,
                "unpriced": used.unpriced,
            },
        )


def usage_of(store: Store, session_id: str) -> list[Used]:
    """Return what a session and its sub-agents used, by task and model."""
    known = store.database.rows("SELECT number FROM sessions WHERE id = ?", (session_id,))
    if not known:
        return []
    rows = store.database.rows(_SELECT, {"number": known[0][0], "delegated": DELEGATED})
    return [
        Used(provider, model, Usage(*counts), calls, cost, unpriced, task)
        for task, provider, model, calls, *counts, cost, unpriced in rows
    ]


def total(every: Iterable[Used]) -> Used | None:
    """Return the sum of ``every``; None of nothing. Its provider and model are the first one's."""
    found: Used | None = None
    for used in every:
        found = used if found is None else found + used
    return found
