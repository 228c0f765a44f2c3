"""A provider, resolved for use, and what is peculiar about its endpoint."""

from dataclasses import dataclass, field
from typing import Literal

from hermes_core.ground.reasoning import Reasoning
from hermes_core.ground.secrets import Secret
from hermes_core.ground.speeds import Speed

ApiMode = Literal["chat_completions", "codex_responses", "anthropic_messages"]

Auth = Literal["bearer", "x-api-key", "none", "aws", "process"]
"""How a request shows who sends it: a header, AWS's signature, or a program's own login."""


@dataclass(frozen=True, slots=True)
class Compat:
    """Deviations of one endpoint from its wire format, as data.

    Where the default is None, or ``""`` for the key of the limit, the wire format decides.

    max_tokens_key: request key of the output limit, None to send none.
    default_max_tokens: sent as the limit when the runtime has none, at most half of the window.
    stream_usage: whether ``stream_options.include_usage`` is understood.
    reasoning: how the endpoint is told to think, see ``ground.reasoning``.
    echo_reasoning: whether stored reasoning must be sent back as text. It goes only to the
        provider and model that made it; messages with calls get a blank in place of others'.
    echo_details: whether stored ``reasoning_details`` are sent back, to who made them.
    encrypted_reasoning: whether reasoning is asked for in an encrypted form that can be sent back.
    system_role: what the role of system messages is called.
    temperature: sent where the endpoint wants a certain one.
    images: whether images are taken; a note stands in for them otherwise. audio: likewise for
        sounds, which only chat completions have a form for.
    dropped_keywords: JSON schema keywords left out of the tools' parameters.
    slashes_in_enums: whether enums may hold values with a slash; such enums are left out otherwise.
    cache_markers: whether the prompt's stable parts are marked for the cache (``cache_control``),
        or, in the Responses format, a key of the conversation goes with it.
    extra_body: further top-level request fields.
    """

    max_tokens_key: str | None = ""
    default_max_tokens: int | None = None
    stream_usage: bool = True
    reasoning: Reasoning | None = None
    echo_reasoning: bool = False
    echo_details: bool | None = None
    encrypted_reasoning: bool = True
    system_role: Literal["system", "developer"] = "system"
    temperature: float | None = None
    images: bool = True
    audio: bool = False
    dropped_keywords: frozenset[str] = frozenset()
    slashes_in_enums: bool = True
    cache_markers: bool | None = None
    extra_body: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Runtime:
    """All that a model call needs to know of its provider. Replaced whole, never changed.

    provider: its canonical name; ``custom:NAME`` for one that the user named.
    hosts: the ``host:port`` pairs that ``api_key`` may travel to.
    plain_http: whether the user chose an endpoint without TLS; loopback needs no leave.
    source: where each value came from, in order of decision, for people to read.
    context_window: tokens; max_output: tokens or None for the endpoint's default.
    auth: how ``api_key`` is shown; credential: which one it is, by name, never the key itself.
    withheld: which key is not sent, and why, where there is one that must not go there.
    options: what one carrier alone needs (``region``, ``command``, ``args``), by name.
    reasoning_effort: the user's choice, or None for the endpoint's default.
    speeds: the ways beside the usual that the model is served in; speed: the one that was chosen,
        None for the usual.
    timeout: seconds without a byte from this endpoint, or None for the general limit.
    prices: US dollars for a token read, written, and read from the cache, where the user or
        the endpoint's own list tells them.
    """

    provider: str
    model: str
    api_mode: ApiMode
    base_url: str
    api_key: Secret
    hosts: frozenset[str] = frozenset()
    plain_http: bool = False
    source: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    compat: Compat = Compat()
    context_window: int = 128_000
    max_output: int | None = None
    auth: Auth = "bearer"
    credential: str = ""
    options: tuple[tuple[str, str], ...] = ()
    reasoning_effort: str | None = None
    timeout: float | None = None
    withheld: str = ""
    prices: tuple[float, float, float] | None = None
    speeds: tuple[Speed, ...] = ()
    speed: Speed | None = None

    def option(self, name: str) -> str | None:
        """Return the carrier's option of that name."""
        return dict(self.options).get(name)
