"""Amazon Bedrock: Claude through Messages, OpenAI's open models through chat."""

from dataclasses import replace

from hermes_core.ground.runtime import Compat
from hermes_core.providers import ProviderProfile, register_provider
from hermes_core.providers.families import CLAUDE_RULES, EFFORT_FIELD

register_provider(
    ProviderProfile(
        name="bedrock",
        display_name="AWS Bedrock",
        base_url="https://bedrock-runtime.{region}.amazonaws.com",
        base_url_env="BEDROCK_BASE_URL",
        key_envs=("AWS_BEARER_TOKEN_BEDROCK",),
        login_envs=("AWS_ACCESS_KEY_ID",),
        aliases=("aws", "aws-bedrock", "amazon-bedrock", "amazon"),
        auth="aws",
        auth_kind="aws",
        messages_auth="bearer",
        mode_rules=(
            ("*anthropic.claude-*", "anthropic_messages"),
            ("openai.*", "chat_completions"),
        ),
        mode_paths=(("chat_completions", "/openai/v1"),),
        unsupported=(
            "Bedrock serves {model} through Converse alone, which is not spoken here. Choose a "
            "Claude model (anthropic.claude-…) or one of OpenAI's (openai.gpt-oss-…)."
        ),
        compat_rules=(*CLAUDE_RULES, ("*", Compat(reasoning=replace(EFFORT_FIELD, off={})))),
        default_model="us.anthropic.claude-sonnet-5",
        fallback_models=("us.anthropic.claude-sonnet-5", "us.anthropic.claude-sonnet-4-6"),
        lists_models=False,
        auto=95,
        signup_url="https://console.aws.amazon.com/bedrock",
    )
)
