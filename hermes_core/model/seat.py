"""Who is being asked: the provider in use with its credential, and how it is changed.

A change replaces the runtime whole, and with it all that depends on it: wire format, limits,
prompt-cache marks, reasoning rules, the model's identity.
"""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from hermes_core.ground.errors import AuthFailed, ConfigError, NoCredentials, ProviderError
from hermes_core.ground.events import Emit, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.ground.secrets import REDACTOR
from hermes_core.model.chain import Access, Candidate, Chain
from hermes_core.model.recovery import REST_AFTER_ALL, Mend, rule_for
from hermes_core.providers.credentials import Credential
from hermes_core.providers.missing import login_ended

RENEW_BEFORE = 120.0
"""Seconds before its end at which a login is renewed unasked."""

_log = logging.getLogger(__name__)


class Logins(Protocol):
    """What can be done about stored credentials."""

    def refresh(self, credential: Credential, interrupt: Interrupt) -> bool:
        """Renew a login in the store; return whether there is a new one.

        Raises a ``ProviderError`` if its service cannot tell just now, and ``ConfigError`` if the
        store cannot be used.
        """
        ...

    def failed(self, credential: Credential, error: ProviderError) -> None:
        """Note that ``credential`` was refused, so that others are preferred for a while."""
        ...


class Seat:
    """The candidate in use. ``attempt`` counts how often it was asked for the current call."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        logins: Logins | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.attempt = 0
        self._chain = Chain(candidates, clock)
        self._logins = logins
        self._wall_clock = wall_clock
        self._candidate = self._chain.current
        self._access: Access | None = None
        self._asked: set[tuple[str, str, str]] = set()
        self._spent: set[str] = set()
        self._refreshed = False

    @property
    def runtime(self) -> Runtime:
        """The runtime in use, looked up at the first use."""
        return self._ready().runtime

    @property
    def providers_asked(self) -> int:
        """How many providers this turn has asked."""
        return max(1, len(self._asked))

    @property
    def has_another(self) -> bool:
        """Whether a fallback is left for this turn."""
        return self._chain.has_another

    @property
    def following(self) -> str:
        """The name of the fallback that is asked next, ``""`` if none is left."""
        return self._chain.following

    @property
    def is_metered(self) -> bool:
        """Whether calls are paid by their tokens; those of a login belong to a subscription."""
        credential = self._ready().credential
        return credential is None or credential.kind == "api_key"

    def begin_turn(self, emit: Emit) -> None:
        """Begin with the primary, unless it rests; raises ``ConfigError`` if nobody can be asked.

        A primary without a key is met by the chain; any other fault of its settings is told.
        """
        candidate = self._chain.begin_turn()
        self._asked.clear()
        self._spent.clear()
        try:
            if candidate is not self._candidate or self._access is None:
                self._take(candidate, candidate.access())
        except NoCredentials as error:
            if not self._advance(str(error), emit):
                raise
        self._asked.add(_identity(self.runtime))

    def begin_call(self) -> None:
        """Begin a model call: its attempts count from 1, and a login may be renewed again."""
        self.attempt = 0
        self._refreshed = False
        self._asked.add(_identity(self.runtime))

    def mends(self, *, strip: bool) -> frozenset[Mend]:
        """Return the ways to mend a failure that are open now."""
        access = self._ready()
        renewable = access.credential is not None and access.credential.kind == "oauth"
        open_now: dict[Mend, bool] = {
            "strip": strip,
            "refresh": renewable and not self._refreshed and self._logins is not None,
            "rotate": access.another,
        }
        return frozenset(mend for mend, is_open in open_now.items() if is_open)

    def failed(self, error: ProviderError) -> None:
        """Note a failure that may call for a rest of the primary."""
        rest = rule_for(error).rest
        if rest and self._chain.on_primary:
            self._chain.rest(rest)

    def gave_up(self) -> None:
        """Note that a turn ends by a failure, whatever was tried."""
        if len(self._asked) > 1:
            self._chain.rest(REST_AFTER_ALL)

    def renew_if_due(self, interrupt: Interrupt) -> None:
        """Renew a login that is about to end, before it is used.

        One that still serves for a moment is used as it is if renewing fails. Raises a
        ``ProviderError`` for one that has ended, ``ConfigError`` if the store cannot be used then.
        """
        credential = self._ready().credential
        if credential is None or credential.expires is None or self._logins is None:
            return
        now = self._wall_clock()
        if now < credential.expires - RENEW_BEFORE or self._refreshed:
            return
        has_ended = credential.expires <= now
        try:
            renewed = self._logins.refresh(credential, interrupt) and self._again()
        except (ProviderError, ConfigError) as error:
            if has_ended:
                raise
            _log.warning("%s could not be renewed yet: %s", credential.id, error)
            return
        self._refreshed = True
        if has_ended and not renewed:
            words = f"The login of {credential.provider} has ended."
            raise AuthFailed(words, advice=login_ended(credential.id))

    def refresh(self, error: ProviderError, interrupt: Interrupt) -> bool:
        """Renew the login that ``error`` is about; return whether there is a new one.

        If there is none, ``error.advice`` says why, and what to do.
        """
        self._refreshed = True
        credential = self._ready().credential
        if credential is None or self._logins is None:
            return False
        try:
            if self._logins.refresh(credential, interrupt):
                return self._again()
            error.advice = login_ended(credential.id)
        except (ProviderError, ConfigError) as problem:
            _log.warning("%s could not be renewed: %s", credential.id, problem)
            error.advice = f"The login could not be renewed: {problem}"
        return False

    def rotate(self, error: ProviderError) -> bool:
        """Take the provider's next credential in place of the one that ``error`` is about.

        Returns whether there is one.
        """
        access = self._ready()
        if access.credential is not None:
            self._spent.add(access.credential.id)
            if self._logins is not None:
                self._logins.failed(access.credential, error)
        self._refreshed = False
        self.attempt = 0
        before = access.runtime.api_key
        if self._again() and self.runtime.api_key != before:
            return True
        self._access = Access(access.runtime, access.credential)
        return False

    def fall_back(self, error: ProviderError, emit: Emit) -> bool:
        """Go on to the next fallback that can be used, and tell it; return whether there is one."""
        return self._advance(f"{error} {error.advice}".rstrip(), emit)

    def leave_out(self, error: ConfigError, emit: Emit) -> bool:
        """Go on to the next fallback in place of one that turns out not to be set up.

        So it is with a primary that has no credentials; any other fault of its settings is told.
        Returns whether there is another.
        """
        if self._chain.on_primary and not isinstance(error, NoCredentials):
            return False
        return self._advance(f"{self._candidate.name} is left out: {_first(error)}", emit)

    def _advance(self, why: str, emit: Emit) -> bool:
        left_out: list[str] = []
        while (candidate := self._chain.advance()) is not None:
            try:
                access = candidate.access()
            except ConfigError as error:
                left_out.append(f"{candidate.name} is left out: {_first(error)}")
                continue
            if _identity(access.runtime) in self._asked:
                continue
            self._take(candidate, access)
            self.attempt = 0
            self._asked.add(_identity(access.runtime))
            going_on = f"Going on with {candidate.name}."
            emit(StatusChanged("warning", " ".join([why, *left_out, going_on])))
            return True
        for text in left_out:
            _log.warning("fallback: %s", text)
        return False

    def _again(self) -> bool:
        """Look the candidate up anew, after its stored credentials have changed."""
        try:
            self._take(self._candidate, self._candidate.access(self._spent), keep=True)
        except ConfigError as error:
            _log.info("the next credential cannot be used: %s", error)
            return False
        return True

    def _ready(self) -> Access:
        access = self._access
        if access is None:
            access = self._candidate.access()
            self._take(self._candidate, access)
        return access

    def _take(self, candidate: Candidate, access: Access, *, keep: bool = False) -> None:
        self._candidate = candidate
        self._access = access
        if not keep:
            self._spent.clear()
            self._refreshed = False
        REDACTOR.register(access.runtime.api_key)


def _first(error: ConfigError) -> str:
    """Return what is wrong, without what to do about it, which `hermes doctor` tells."""
    what, dot, _ = str(error).partition(". ")
    return f"{what}{dot.rstrip()}"


def _identity(runtime: Runtime) -> tuple[str, str, str]:
    return (runtime.provider, runtime.model, runtime.base_url)
