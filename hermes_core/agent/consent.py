"""Whether a prepared tool call may run: the approval engine's word, or a person's."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from pathlib import Path

from hermes_core.agent.cards import Card
from hermes_core.approval.grants import Grants
from hermes_core.approval.judge import judge
from hermes_core.ground.actions import Answer, Mode
from hermes_core.ground.errors import Interrupted, StoreError
from hermes_core.ground.events import ApprovalRequested, Emit
from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Prepared

REJECTED = (
    "The user rejected this call. Nothing was run or changed. Do not reach the same end another"
    " way: ask the user what to do instead, or go on without it."
)
NOBODY = (
    "This call needs a person's approval, and there is nobody to ask. Nothing was run or changed."
    " Go on without it, and tell the user what you could not do."
)

_log = logging.getLogger(__name__)


class Consent:
    """Decides call by call; one for a session.

    mode: asked anew for each call, so that a change takes effect at the next one.
    home: the folder of our own settings. can_ask: whether anyone listens to questions.
    before_call: told of every call. before_change: called before a call runs that may change
        something, once it may run.
    """

    def __init__(
        self,
        mode: Callable[[], Mode],
        workspace: Workspace,
        grants: Grants,
        *,
        home: Path,
        can_ask: bool,
    ) -> None:
        self._mode = mode
        self._workspace = workspace
        self._grants = grants
        self._home = home
        self._can_ask = can_ask
        self.before_change: Callable[[Interrupt], None] = lambda _: None
        self.before_call: Callable[[], None] = lambda: None

    def refusal(self, card: Card, prepared: Prepared, emit: Emit, interrupt: Interrupt) -> str:
        """Return why the call may not run, as the tool's answer; ``""`` if it may.

        Waits for a person without a time limit. Raises ``Interrupted`` when the turn ends
        first, even if the answer came at the same moment.
        """
        self.before_call()
        refusal = self._refusal(card, prepared, emit, interrupt)
        if not refusal and prepared.action.kind not in ("none", "read"):
            self.before_change(interrupt)
        return refusal

    def _refusal(self, card: Card, prepared: Prepared, emit: Emit, interrupt: Interrupt) -> str:
        decision = judge(prepared.action, self._mode(), self._workspace, self._grants, self._home)
        if decision.verdict == "allow":
            prepared.leave.unasked = not self._grants.covers(prepared.action)
            return ""
        if decision.verdict == "deny":
            return f"This call is not allowed: {decision.reason} Nothing was run or changed."
        if not self._can_ask:
            return NOBODY
        question = card.question(prepared, decision.reason)
        answer = ask(question, emit, interrupt)
        prepared.leave.unasked = answer not in ("allow_once", "allow_always")
        if answer == "allow_always":
            self._grants.grant(prepared.action)
        return "" if answer in ("allow_once", "allow_always") else rejection(question.words)


def rejection(words: Sequence[str]) -> str:
    """Return what the model is told of a rejection, and why it was one if the person said so."""
    return REJECTED if not words else f"{REJECTED} The user says: {' '.join(words)}"


def ask(question: ApprovalRequested, emit: Emit, interrupt: Interrupt) -> Answer:
    """Return a person's answer; raise ``Interrupted`` if the turn ends first."""
    forget = interrupt.listen(lambda: _drop(question))
    try:
        emit(question)
        answer = question.reply.result()
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
