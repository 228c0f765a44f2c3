"""The scripted model that the program brings along: no key, no network."""

from hermes_core.providers import ProviderProfile, register_provider

register_provider(
    ProviderProfile(
        name="demo",
        display_name="Scripted demo, no key needed",
        base_url="scripted://demo",
        key_optional=True,
        aliases=("scripted",),
        auth="none",
        auth_kind="none",
        default_model="scripted-demo",
        lists_models=False,
        auto=0,
    )
)
