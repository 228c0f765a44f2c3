"""Whether a prepared tool call may run: the approval engine's word, or a person's."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial

from hermes_core.agent.cards import Card
from hermes_core.agent.open_questions import OpenQuestions
from hermes_core.agent.second_opinion import SecondOpinion, is_due
from hermes_core.approval.git_settings import neutral_environment
from hermes_core.approval.judge import Judge
from hermes_core.ground.actions import Action, Answer, Decision, Mode
from hermes_core.ground.errors import Interrupted, StoreError
from hermes_core.ground.events import ApprovalRequested, Emit, StatusChanged
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.visible import many_lines
from hermes_core.tools.registry import Output, Prepared, Progress

REJECTED = (
    "The user rejected this call. Nothing was run or changed. Do not reach the same end another"
    " way: ask the user what to do instead, or go on without it."
)
NOBODY = (
    "This call needs a person's approval, and there is nobody to ask. Nothing was run or changed."
    " Go on without it, and tell the user what you could not do."
)
CHANGED = (
    "What this call would do changed while the question was open: a file or folder was swapped. So"
    " the answer does not count, and nothing was run or changed. Look at what is there now."
)

BYPASSED = "[unasked]"
"""Stands before the title of what runs for the mode ``bypass`` alone."""

_LOOKS = ("none", "read", "mode")
"""The kinds of actions that change nothing."""

_FOR_NOW = "Your answer holds for this session alone."

_log = logging.getLogger(__name__)


class Consent:
    """Decides call by call; one for a session.

    mode: asked anew for each call, so that a change takes effect at the next one.
    can_ask: whether anyone listens to questions. timeout: seconds that a person has to answer,
    None for ever. before_call: told of every call. before_change: called before a call runs that
    may change something, once it may run. around: returns what such a call runs in.
    opinion: may turn what would run unasked into a question.
    """

    def __init__(
        self,
        mode: Callable[[], Mode],
        judge: Judge,
        *,
        can_ask: bool,
        timeout: Callable[[], float | None] = lambda: None,
        opinion: SecondOpinion | None = None,
    ) -> None:
        self._mode = mode
        self._opinion = opinion
        self.judge = judge
        self._can_ask = can_ask
        self._timeout = timeout
        self._told: set[str] = set()
        self._open = OpenQuestions()
        self.before_change: Callable[[Interrupt], None] = lambda _: None
        self.before_call: Callable[[], None] = lambda: None
        self.around: Callable[[Action], AbstractContextManager[None]] = lambda _: nullcontext()

    @property
    def mode(self) -> Mode:
        """What runs without asking."""
        return self._mode()

    def titled(self, prepared: Prepared, interrupt: Interrupt) -> Prepared:
        """Return the call with a title that says so, if it runs for the mode ``bypass`` alone.

        A second opinion is asked for before that, since it decides. Raises ``Interrupted``.
        """
        if self._mode() != "bypass":
            return prepared
        mode, decision = self._decide(prepared.action, interrupt)
        if mode == "bypass" and decision.verdict == "allow" and decision.bypassed:
            return replace(prepared, title=f"{BYPASSED} {prepared.title}")
        return prepared

    def watched(self, prepared: Prepared) -> Prepared:
        """Return the call so that it runs within ``around``, if it may change something."""
        if prepared.action.kind in _LOOKS:
            return prepared

        def run(progress: Progress) -> Output:
            with self.around(prepared.action):
                return prepared.run(progress)

        return replace(prepared, run=run)

    def refusal(self, card: Card, prepared: Prepared, emit: Emit, interrupt: Interrupt) -> str:
        """Return why the call may not run, as the tool's answer; ``""`` if it may.

        Raises ``Interrupted`` when the turn ends first, even if a person's answer came at the same
        moment.
        """
        self.before_call()
        refusal = self._refusal(card, prepared, emit, interrupt)
        if not refusal and prepared.action.kind not in _LOOKS:
            self.before_change(interrupt)
        return refusal

    def _refusal(self, card: Card, prepared: Prepared, emit: Emit, interrupt: Interrupt) -> str:
        self._tell_problems(emit)
        mode, decision = self._decide(prepared.action, interrupt)
        prepared.leave.unasked = decision.unasked
        if decision.unasked and prepared.action.kind == "execute":
            prepared.leave.environment = neutral_environment()
        if decision.verdict == "allow":
            return ""
        if decision.verdict == "deny":
            return f"This call is not allowed: {decision.reason} Nothing was run or changed."
        if not self._can_ask:
            return f"{NOBODY} Why it asks: {decision.reason}."
        taken: Future[None] = Future()
        question = replace(card.question(prepared, decision), taken=taken)
        try:
            settled = partial(self._settled, prepared.action, mode, decision)
            with self._open.waiting(question, settled):
                answer = ask(question, emit, interrupt, self._timeout())
            allowed = answer in ("allow_once", "allow_always")
            if allowed and not self._stands(prepared.action, mode, decision):
                return CHANGED
            self._take(answer, prepared, emit)
            prepared.leave.answer = answer
            return "" if allowed else rejection(question.words, prepared.declined)
        finally:
            taken.set_result(None)

    def _take(self, answer: Answer, prepared: Prepared, emit: Emit) -> None:
        """Do what follows from a person's answer, for other questions that are open too."""
        if answer in ("allow_always", "reject_always"):
            problem = self.judge.remember(prepared.action, allow=answer == "allow_always")
            if problem:
                emit(StatusChanged("warning", f"{_FOR_NOW} {problem}"))
        if answer in ("allow_once", "allow_always"):
            self.judge.passed(prepared.action)
            if self._opinion and prepared.leave.unasked:
                self._opinion.allowed(prepared.action)
        self._open.settle()

    def _decide(self, action: Action, interrupt: Interrupt) -> tuple[Mode, Decision]:
        """Return what is decided on an action, and in which mode, once a model had its say.

        While that thinks, rules and mode may become others; those of afterwards count.
        """
        while True:
            mode = self._mode()
            decision = self.judge.decide(action, mode)
            if self._opinion is None:
                return mode, decision
            if not self._opinion.consider(action, decision, interrupt):
                return mode, self._opinion.weighed(action, decision)

    def _settled(self, action: Action, mode: Mode, asked: Decision) -> Answer | None:
        """Return the answer that the rules, or a visit to a host, give to an open question.

        A model's doubt is for a person to answer, or for a rule of theirs. What would run unasked
        by now waits too, if a model has not cleared it: none is asked here.
        """
        now = self.judge.decide(action, mode)
        if now.verdict == "ask":
            return None
        if is_due(now, action) and (_is_doubt(asked) or self._is_unseen(action)):
            return None
        return "allow_once" if now.verdict == "allow" else "reject_once"

    def _is_unseen(self, action: Action) -> bool:
        """Return whether a model is asked about what runs unasked, and did not clear this."""
        opinion = self._opinion
        return opinion is not None and opinion.is_on and not opinion.cleared(action)

    def _stands(self, action: Action, mode: Mode, asked: Decision) -> bool:
        """Return whether a person who allowed an action was told what it would do now."""
        now = self.judge.decide(action, mode)
        if now.verdict == "ask":
            return (now.reason, now.details) == (asked.reason, asked.details)
        if _is_doubt(asked) and is_due(now, action):
            return now.details == asked.details
        return now.verdict == "allow"

    def _tell_problems(self, emit: Emit) -> None:
        """Warn, once each, of what does not count in the files of rules."""
        for problem in self.judge.rules.problems():
            if problem not in self._told:
                self._told.add(problem)
                emit(StatusChanged("warning", f"A rule does not count. {many_lines(problem)}"))


def _is_doubt(asked: Decision) -> bool:
    """Return whether a person is asked for a model's doubt alone."""
    return asked.unasked or asked.bypassed


def rejection(words: Sequence[str], declined: str = "") -> str:
    """Return what the model is told of a rejection, and why it was one if the person said so."""
    told = declined or REJECTED
    return f"{told} The user says: {' '.join(words)}" if words else told


def ask(
    question: ApprovalRequested, emit: Emit, interrupt: Interrupt, timeout: float | None = None
) -> Answer:
    """Return a person's answer; raise ``Interrupted`` if the turn ends first.

    No answer within ``timeout`` seconds is a rejection.
    """
    forget = interrupt.listen(lambda: _drop(question))
    try:
        emit(question)
        answer = question.reply.result(timeout)
    except TimeoutError:
        _drop(question)
        question.words.append(f"(nobody answered within {timeout:g} s)")
        answer = "reject_once"
    except CancelledError:
        answer = "reject_once"
    except (Interrupted, StoreError):
        _drop(question)
        raise
    except Exception:
        _drop(question)
        _log.exception("the question for tool call %s failed", question.call_id)
        answer = "reject_once"
    finally:
        forget()
    interrupt.raise_if_set()
    return answer


def _drop(question: ApprovalRequested) -> None:
    question.reply.cancel()
