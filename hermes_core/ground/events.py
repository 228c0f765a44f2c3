"""Everything the core tells the outside: a closed union of frozen dataclasses.

A consumer matches on the class and ends in ``typing.assert_never``. A question is an event with a
reply slot. Events other than questions can be written to and read from JSON (``events_json``).
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from hermes_core.ground.actions import Action, Answer
from hermes_core.ground.content import CardContent, Location, PlanEntry, ToolKind
from hermes_core.ground.messages import StopReason


@dataclass(frozen=True, slots=True)
class UserPrompted:
    """The user's message of this turn, as plain text for display."""

    text: str
    message_id: str


@dataclass(frozen=True, slots=True)
class UserSteered:
    """What the user said to the running turn reaches the model with its next step."""

    text: str
    message_id: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model call begins; ``number`` counts from 1 within the turn."""

    number: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer. ``message_id`` is one for all pieces of one message."""

    text: str
    message_id: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's visible reasoning."""

    text: str
    message_id: str


@dataclass(frozen=True, slots=True)
class ToolCallGenerating:
    """The model has begun to write a call of the tool ``name``."""

    name: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool call appears, before it is approved or run, with the arguments the model sent."""

    call_id: str
    name: str
    title: str
    kind: ToolKind
    arguments: dict[str, Any]
    content: tuple[CardContent, ...] = ()
    locations: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCallRunning:
    """An approved tool call begins to run."""

    call_id: str


@dataclass(frozen=True, slots=True)
class ToolCallProgress:
    """All that a running tool call has to show so far (replaces what it showed before)."""

    call_id: str
    content: tuple[CardContent, ...]


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A tool call ended; every started call gets exactly one of these.

    ``output`` is the text that the model gets as the answer.
    """

    call_id: str
    name: str
    status: Literal["completed", "failed"]
    output: str
    content: tuple[CardContent, ...] = ()
    locations: tuple[Location, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A model call and its tools are done."""

    number: int


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The agent's plan, whole."""

    entries: tuple[PlanEntry, ...]


@dataclass(frozen=True, slots=True)
class UsageUpdated:
    """Tokens in the context after the last call, and the size of the model's window.

    cost: an estimate in US dollars of all calls of the session; None where a price is not known.
    """

    used: int
    size: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """Something that a person should know: a retry, a wait, a failure."""

    level: Literal["info", "warning", "error"]
    text: str


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """The conversation begins to be shortened; ``Compacted`` with the same id follows.

    text: what a person is told.
    """

    compaction_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """How shortening the conversation ended; if not ``completed``, nothing has changed.

    before_tokens, after_tokens: estimated tokens of a request. text: what a person is told.
    summary: what the model goes on with in the place of earlier messages, ``""`` if none went.
    history_id: the session id under which the shortened history stands in the store.
    """

    compaction_id: str
    status: Literal["completed", "failed", "cancelled"]
    text: str
    before_tokens: int
    after_tokens: int
    summary: str = ""
    history_id: str = ""


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """The session has another title; may come between turns too.

    updated: when that was, in seconds since 1970; it is no part of what is compared.
    """

    title: str
    updated: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TurnInterrupted:
    """The turn was cancelled; what was shown of an unfinished answer is not part of the history.

    not_run: the calls that were asked for and not begun, for people to read.
    """

    not_run: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildStarted:
    """A child begins to work on a task that the tool call ``call_id`` gave it.

    child: the id of its session, whose display log holds all that it shows. title: a few words.
    """

    child: str
    call_id: str
    title: str
    task: str


@dataclass(frozen=True, slots=True)
class ChildShown:
    """Something that a child shows, passed on by the agent that it works for.

    asked: whether this is part of a tool card that the user was asked about: such an event comes
    once more with it, and is kept with the parent's, so that the question has a card to stand by
    where children have no place of their own.
    """

    child: str
    shown: "ShownEvent"
    asked: bool = False


@dataclass(frozen=True, slots=True)
class ChildFinished:
    """A child came to its end; every started child gets exactly one of these.

    error: what made it fail, ``""`` for any other end. seconds: how long it took.
    """

    child: str
    call_id: str
    title: str
    stop_reason: StopReason | Literal["error"]
    answer: str = ""
    error: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rewound:
    """The session went back to before the prompt with this ``message_id``.

    undone: False where that was taken back. What was shown from the prompt on is hidden in a replay
    as long as it holds; it was no part of the conversation any more.
    """

    message_id: str
    undone: bool = True


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A question to a person. Resolve ``reply`` with an answer; cancel it to reject.

    ``content`` is the whole text to show with the question (the command, the diff). ``child`` is
    the session of the child that asks, ``""`` for the session's own agent. What the person says
    with the answer is added to ``words`` before it; the model is told it with a rejection.
    ``always`` and ``never`` say what such an answer covers; without one it is not offered.
    ``labels`` are names of answers, where "Allow once" and the like do not say what they do.
    ``taken``, if there is one, is done once it is known what else the answer settles: the next
    question waits for that.
    """

    call_id: str
    title: str
    kind: ToolKind
    action: Action
    reason: str
    arguments: dict[str, Any]
    content: tuple[CardContent, ...] = ()
    locations: tuple[Location, ...] = ()
    child: str = ""
    always: str = ""
    never: str = ""
    labels: Mapping[Answer, str] = field(default_factory=dict)
    reply: "Future[Answer]" = field(default_factory=Future, compare=False)
    words: list[str] = field(default_factory=list, compare=False)
    taken: "Future[None] | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ClarifyRequested:
    """A question of the model to a person. Resolve ``reply`` with the answer, None for none.

    ``choices`` are likely answers; any other text is one too. Cancelled, nobody waits any more.
    """

    call_id: str
    question: str
    choices: tuple[str, ...] = ()
    reply: "Future[str | None]" = field(default_factory=Future, compare=False)


ShownEvent = (
    UserPrompted
    | UserSteered
    | StepStarted
    | TextDelta
    | ReasoningDelta
    | ToolCallGenerating
    | ToolCallStarted
    | ToolCallRunning
    | ToolCallProgress
    | ToolCallFinished
    | StepFinished
    | PlanChanged
    | UsageUpdated
    | StatusChanged
    | CompactionStarted
    | Compacted
    | TitleChanged
    | TurnInterrupted
    | Rewound
    | ChildStarted
    | ChildShown
    | ChildFinished
)

Event = ShownEvent | ApprovalRequested | ClarifyRequested

Emit = Callable[[Event], None]
"""Takes one event. May be called from any thread; may block while its reader is slow."""
