"""Whose turn it is to answer: the primary, then each fallback in order, each once a turn."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from hermes_core.ground.runtime import Runtime
from hermes_core.providers.credentials import Credential


@dataclass(frozen=True, slots=True)
class Access:
    """A candidate, ready to be asked.

    credential: the stored credential that the runtime's key comes from, if it does.
    another: whether the provider has a further stored credential that is not spent.
    """

    runtime: Runtime
    credential: Credential | None = None
    another: bool = False


class Candidate(Protocol):
    """A provider and a model that may answer."""

    @property
    def name(self) -> str:
        """Both, for people to read."""
        ...

    def access(self, spent: Collection[str] = ()) -> Access:
        """Return it ready for use, without the stored credentials whose ids are ``spent``.

        Raises ``ConfigError`` or ``NoCredentials``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Resolved:
    """A candidate that needs no looking up."""

    runtime: Runtime

    @property
    def name(self) -> str:
        """The model and its provider."""
        return f"{self.runtime.model} through {self.runtime.provider}"

    def access(self, spent: Collection[str] = ()) -> Access:
        """Return it as it is."""
        del spent
        return Access(self.runtime)


class Chain:
    """The primary and its fallbacks, and which of them a turn has asked.

    The provider that worked keeps the turn. The next turn begins with the primary again, unless
    it rests; then with the provider that worked last. clock: seconds that only go up.
    """

    def __init__(
        self, candidates: Sequence[Candidate], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._candidates = tuple(candidates)
        self._clock = clock
        self._at = 0
        self._asked = {0}
        self._rests_until = 0.0

    @property
    def current(self) -> Candidate:
        """The candidate to ask now."""
        return self._candidates[self._at]

    @property
    def asked(self) -> int:
        """How many candidates this turn has asked, the current one included."""
        return len(self._asked)

    @property
    def has_another(self) -> bool:
        """Whether a fallback is left that this turn has not asked."""
        return len(self._asked | {0}) < len(self._candidates)

    @property
    def following(self) -> str:
        """The name of the fallback that is asked next in this turn, ``""`` if none is left."""
        left = (n for n in range(1, len(self._candidates)) if n not in self._asked)
        return next((self._candidates[n].name for n in left), "")

    def begin_turn(self) -> Candidate:
        """Return the candidate that a new turn asks first."""
        if self._clock() >= self._rests_until:
            self._at = 0
        self._asked = {self._at}
        return self.current

    def advance(self) -> Candidate | None:
        """Go on to the next fallback that this turn has not asked; None if none is left.

        A chain that is at its end lets the primary rest as ``rest`` does.
        """
        for place in range(1, len(self._candidates)):
            if place not in self._asked:
                self._asked.add(place)
                self._at = place
                return self.current
        return None

    def rest(self, seconds: float) -> None:
        """Leave the primary alone for ``seconds`` from now on, if it is not for longer already."""
        self._rests_until = max(self._rests_until, self._clock() + seconds)

    @property
    def on_primary(self) -> bool:
        """Whether the primary is the one to ask now."""
        return self._at == 0
