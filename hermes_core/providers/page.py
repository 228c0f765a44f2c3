"""The text of ``docs/provider-list.md``, made from the profiles; a test holds it to them."""

from collections.abc import Sequence

from hermes_core.providers.profile import ProviderProfile

_HEAD = """\
# Bundled providers

<!-- Made from hermes_core/plugins/model-providers/ by indexing.renew(). Do not edit by hand. -->

[providers.md](providers.md) says how a provider is chosen and where keys may go. The variable of an
address counts in `.env`; an exported one counts only where no key is needed, since it may come from
the project that is being worked on. The keys of providers marked \\* stay at the provider's own
hosts whatever `.env` says.

| Name | Aliases | Key | Address | Format |
|---|---|---|---|---|
"""

_TAIL = """
Formats: `chat` is chat completions, `responses` is OpenAI's Responses, `messages` is Anthropic's
Messages; where there are several, the model or the address decides. Endpoints of your own are
described in [configuration.md](configuration.md).
"""

_FORMATS = {
    "chat_completions": "chat",
    "codex_responses": "responses",
    "anthropic_messages": "messages",
}


def page(profiles: Sequence[ProviderProfile]) -> str:
    """Return the page for ``profiles``, in their order."""
    return _HEAD + "".join(map(_row, profiles)) + _TAIL


def _row(profile: ProviderProfile) -> str:
    mark = " \\*" if profile.bound else ""
    cells = (
        f"`{profile.name}`{mark}",
        _code(profile.aliases),
        _key(profile),
        _code(profile.url_envs),
        _formats(profile),
    )
    return f"| {' | '.join(cells)} |\n"


def _key(profile: ProviderProfile) -> str:
    if profile.auth_kind == "process":
        return "the program's own login"
    login = {"oauth": "a login", "copilot": "a login", "aws": "AWS credentials"}
    ways = [_code(profile.key_envs), login.get(profile.auth_kind, "")]
    text = " or ".join(filter(None, ways)) or "none"
    optional = profile.key_optional and profile.key_envs
    return f"{text}{', optional' if optional else ''}{'; ended' if profile.legacy else ''}"


def _formats(profile: ProviderProfile) -> str:
    modes = [mode for _, mode in profile.mode_rules]
    if not any(pattern == "*" for pattern, _ in profile.mode_rules) and not profile.unsupported:
        modes.append(profile.api_mode)
    modes += [mode for mode, _ in profile.mode_compats]
    return ", ".join(_FORMATS[mode] for mode in dict.fromkeys(modes))


def _code(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
