"""Z.AI: the GLM models, general and coding plan, abroad and in China."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import GLM_RULES, PLAIN

register_provider(
    ProviderProfile(
        name="zai",
        display_name="Z.AI / GLM",
        base_url="https://api.z.ai/api/paas/v4",
        base_url_env="GLM_BASE_URL",
        hosts=("open.bigmodel.cn:443",),
        key_envs=("GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"),
        aliases=("glm", "z-ai", "z.ai", "zhipu"),
        default_model="glm-5.2",
        aux_model="glm-4.5-flash",
        fallback_models=("glm-5.2", "glm-5", "glm-4-9b"),
        compat=PLAIN,
        compat_rules=GLM_RULES,
        signup_url="https://z.ai/manage-apikey/apikey-list",
    )
)
