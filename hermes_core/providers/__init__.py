"""Model providers: what they are, which are known, and which one is used.

A provider's folder says ``from hermes_core.providers import ProviderProfile, register_provider``.
"""

from hermes_core.providers.profile import ProviderProfile
from hermes_core.providers.registry import (
    get_provider_profile,
    list_providers,
    register_provider,
)

__all__ = ["ProviderProfile", "get_provider_profile", "list_providers", "register_provider"]
