"""What people are told when a provider, a key or a model is missing: why, and what to do next."""

from collections.abc import Sequence

from hermes_core.ground.errors import ConfigError, NoCredentials
from hermes_core.local.config import Config
from hermes_core.providers.addresses import Address
from hermes_core.providers.pool import parts
from hermes_core.providers.profile import ProviderProfile
from hermes_core.transport import guard

_GIVE = "`--model NAME`, or `/model NAME --provider {name}` in a session."
_EXAMPLE = "OPENROUTER_API_KEY"


def no_provider(config: Config, unasked: Sequence[tuple[str, str]] = ()) -> NoCredentials:
    """Return the error for ``auto`` that found nothing.

    unasked: variables in ``.env`` with the providers that they are for, which ``auto`` never takes.
    """
    if unasked:
        variable, provider = unasked[0]
        return NoCredentials(
            f"No model provider is set up: {variable} in .env is for {provider}, which is used "
            f"only where it is named. Set model.provider to {provider}, and model.default, in "
            f"{config.home / 'config.yaml'}, or choose with `hermes model`."
        )
    return NoCredentials(
        f"No model provider is set up. Put {_EXAMPLE} or another provider's key into "
        f"{config.home / '.env'}, set model.base_url in config.yaml, or run `hermes demo` to look "
        "around without a key."
    )


def no_key(
    profile: ProviderProfile,
    config: Config,
    address: Address,
    *,
    own_host: bool,
    variable: str | None = None,
    main: bool = True,
) -> str:
    """Return the text for a provider that was chosen and has no key for ``address``.

    own_host: whether its own keys might go there. variable: where the key was said to be.
    main: whether the chat asks, rather than an entry of a chain or a task.
    """
    names = variable or " or ".join(profile.key_envs)
    if address.trust == "ambient":
        return (
            f"The address of {profile.name} comes from the process environment, where no key of "
            f"yours is sent. Put it into {config.home / '.env'} if you trust it."
        )
    if not own_host:
        host = guard.host_of(address.url)
        beside = "model.api_key beside model.base_url" if main else "api_key beside that base_url"
        return (
            f"There is no key for {host}: {names or 'its login'} goes to {profile.name}'s own host "
            f"alone. Set {beside} in config.yaml."
        )
    ways = [f"Put {names} into {config.home / '.env'}"] if names else []
    if profile.entry is None:
        ways.append(f"{'run' if ways else 'Run'} `hermes auth login {profile.name}`")
    else:
        ways.append(f"{'set' if ways else 'Set'} api_key in its entry in config.yaml")
    notes = [f"Get a key at {profile.signup_url}."] if profile.signup_url and names else []
    text = f"There is no key for {profile.name}. {', or '.join(ways)}."
    return " ".join([text, *notes, *([profile.legacy] if profile.legacy else [])])


def login_ended(credential_id: str) -> str:
    """Return what to do about a login that is over, by the id of its credential."""
    provider, slot = parts(credential_id)
    if slot == ":claude-code":
        return "Log in again with `claude`: the login is Claude Code's."
    if slot.startswith(":env:"):
        return f"Renew the token in {slot.removeprefix(':env:')}."
    return f"Run `hermes auth login {provider}`, or import it."


def no_model(
    profile: ProviderProfile, config: Config, saved: ProviderProfile | None
) -> ConfigError:
    """Return the error for a provider that was chosen without a model."""
    if config.model and saved is not None:
        return ConfigError(
            f"No model is set for {profile.name}: model.default in config.yaml is for "
            f"{saved.name}. Give one: {_GIVE.format(name=profile.name)}"
        )
    return ConfigError(
        f"No model is set for {profile.name}. Set model.default in config.yaml, or give one: "
        f"{_GIVE.format(name=profile.name)}"
    )
