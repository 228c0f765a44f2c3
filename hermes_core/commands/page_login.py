"""A login on the provider's own page, to which the editor leads the person."""

from concurrent.futures import Future

from hermes_core.commands.auth import provider_named, store_login, way_in
from hermes_core.ground.asking import Answer, Page, Questions
from hermes_core.ground.errors import AuthFailed, ConfigError, Interrupted
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.visible import one_line
from hermes_core.local.config import Config
from hermes_core.providers.device_flow import DeviceLogin, Invitation
from hermes_core.providers.logins import LOGINS, Login


def can_begin(config: Config, provider: str) -> bool:
    """Return whether a login with ``provider`` has all that it takes."""
    login = way_in(config, provider)
    return login is not None and bool(login.client_id)


def provider_for_login(config: Config, named: str = "") -> str:
    """Return whom to log in with: the one that is named, the one in use, or the only one there is.

    Raises ``ConfigError`` if that is none.
    """
    if named:
        return provider_named(config, named)
    if config.provider and can_begin(config, provider_named(config, config.provider)):
        return provider_named(config, config.provider)
    ready = [one for one in sorted({*LOGINS, *config.auth}) if can_begin(config, one)]
    if len(ready) == 1:
        return ready[0]
    what = (
        f"Several providers can be logged in with: {', '.join(ready)}."
        if ready
        else ("No provider is set up for a login on a page.")
    )
    raise ConfigError(f"{what}\nRun `hermes auth login PROVIDER` in a terminal.")


def log_in(config: Config, provider: str, questions: Questions, interrupt: Interrupt) -> str:
    """Have the person agree on the provider's page, and store what that brings; return what to say.

    The page is asked about while its answer is waited for: to decline or dismiss it stops the login
    at once, and whoever has agreed there need not say so here too. Raises ``AuthFailed`` if it was
    given up, ``Interrupted``, and as ``DeviceLogin`` does.
    """
    login = way_in(config, provider)
    if login is None:
        raise ConfigError(
            f"{provider} has no login on a page.\n"
            f"Run `hermes auth login {provider}` in a terminal to store a key."
        )
    given_up = interrupt.child()
    flow = DeviceLogin(config, login, interrupt=given_up)
    invitation = flow.begin()
    page = _page(login, invitation)
    reply = questions.ask(page)
    reply.add_done_callback(lambda done: _heed(done, given_up))
    try:
        grant = flow.finish(invitation)
        given_up.raise_if_set()
        told = store_login(config, provider, grant)
        questions.completed(page)
    except Interrupted:
        interrupt.raise_if_set()
        raise AuthFailed(
            f"You are not logged in with {provider}: its page was not opened.\n"
            "Begin the login again when you want to.",
            provider=provider,
        ) from None
    finally:
        reply.cancel()
    return told


def _heed(reply: "Future[Answer]", given_up: Interrupt) -> None:
    if not reply.cancelled() and reply.result().action != "accept":
        given_up.set()


def _page(login: Login, invitation: Invitation) -> Page:
    code = one_line(invitation.code)
    return Page(
        f"Hermes logs in with {login.provider}. Open the page and agree there; the code is {code}.",
        invitation.direct_url or invitation.url,
    )
