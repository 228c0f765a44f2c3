"""The tree of errors. Everything that the core raises on purpose derives from ``HermesError``.

::

    HermesError
    ├─ Interrupted · BudgetExhausted · ConfigError ─ NoCredentials
    ├─ ProviderError
    │  ├─ ConnectionFailed · StreamCut · RateLimited · ServerError      retry, then fall back
    │  ├─ UpstreamLimited                                               retry, then fall back
    │  ├─ AuthFailed                                                    refresh once, then fall back
    │  │  └─ TokenExpired                                               strip first
    │  ├─ ModelNotFound · MalformedResponse · QuotaExhausted            fall back
    │  ├─ ContextOverflow                                               compress, then retry
    │  ├─ StaleReasoning                                                strip once, then resend
    │  └─ BadRequest · Refused                                          tell the user
    ├─ ToolError                                                        becomes the tool's answer
    ├─ NoTerminal                                                       say so, or run it here
    └─ StoreError

The text of an error is what a person reads: what happened, why, and what to do next, in one
or two lines, without a key in it.
"""


class HermesError(Exception):
    """Base of every error that the core raises on purpose."""


class Interrupted(HermesError):
    """The turn was interrupted by its user or by the end of the process."""


class BudgetExhausted(HermesError):
    """The turn has used all of its steps."""


class ConfigError(HermesError):
    """The configuration cannot be used; the text names the file, the line and the key."""


class NoCredentials(ConfigError):
    """A provider was chosen, but nothing says how to authenticate with it."""


class ProviderError(HermesError):
    """A model provider failed.

    ``status`` is the HTTP status (None where there was none), ``retry_after`` the seconds that
    the provider asked us to wait. ``advice`` is what a person can do, where that depends on more
    than the class.
    """

    def __init__(
        self,
        text: str,
        *,
        provider: str = "",
        model: str = "",
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        advice: str = "",
    ) -> None:
        super().__init__(text)
        self.provider = provider
        self.model = model
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.advice = advice


class ConnectionFailed(ProviderError):
    """No connection could be made, or none in time."""


class StreamCut(ProviderError):
    """The answer stopped before its end."""


class RateLimited(ProviderError):
    """Too many requests (429)."""


class UpstreamLimited(ProviderError):
    """Who serves the model behind an aggregator takes no more requests (429): no key helps."""


class ServerError(ProviderError):
    """The provider failed on its side (5xx)."""


class AuthFailed(ProviderError):
    """The credential was refused (401, 403)."""


class TokenExpired(AuthFailed):
    """The login is said to have ended, which some say of earlier reasoning that they refuse."""


class ModelNotFound(ProviderError):
    """The provider does not serve this model (404)."""


class MalformedResponse(ProviderError):
    """The answer is not in the shape that its wire format lays down."""


class QuotaExhausted(ProviderError):
    """Credit or quota is used up; waiting does not help."""


class ContextOverflow(ProviderError):
    """The request is longer than the model's context window."""


class StaleReasoning(ProviderError):
    """The provider no longer accepts reasoning that it made earlier."""


class BadRequest(ProviderError):
    """The provider refused the request as malformed (4xx)."""


class Refused(ProviderError):
    """The provider declined to answer."""


class NoTerminal(HermesError):
    """The client made no terminal, as far as is known; the text is one clause that says why.

    refused: whether it answered with an error, which may be a person's no.
    """

    def __init__(self, text: str, *, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused


class ToolError(HermesError):
    """A tool could not do what was asked; the text becomes its answer to the model."""


class StoreError(HermesError):
    """The session store could not be read or written."""
