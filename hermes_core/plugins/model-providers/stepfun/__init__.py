"""StepFun's plan, abroad and in China."""

from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import PLAIN

register_provider(
    ProviderProfile(
        name="stepfun",
        display_name="StepFun Step Plan",
        base_url="https://api.stepfun.ai/step_plan/v1",
        base_url_env="STEPFUN_BASE_URL",
        hosts=("api.stepfun.com:443",),
        key_envs=("STEPFUN_API_KEY",),
        aliases=("step", "stepfun-coding-plan"),
        default_model="step-3.5-flash",
        aux_model="step-3.5-flash",
        fallback_models=("step-3.5-flash", "step-3.5-flash-2603"),
        compat=PLAIN,
        signup_url="https://platform.stepfun.ai",
    )
)
