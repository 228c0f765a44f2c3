import os
from pathlib import Path

import pytest

from hermes_core.ground.errors import ConfigError
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.config import Config, hermes_home, load_config
from hermes_core.local.config_keys import KEYS


def load(home: Path, **env: str) -> Config:
    return load_config({"HERMES_HOME": str(home), "HOME": str(home), **env})


def write(home: Path, text: str) -> Path:
    path = home / "config.yaml"
    path.write_text(text)
    return path


def test_an_empty_home_gives_the_defaults(tmp_path: Path) -> None:
    config = load(tmp_path / "missing")
    assert config == Config(home=tmp_path / "missing", env=config.env)
    assert not config.api_key
    assert config.warnings == ()
    assert not (tmp_path / "missing").exists()


def test_the_table_of_keys_and_the_config_agree() -> None:
    config = Config(home=Path("/h"))
    for key in KEYS:
        default = Secret("") if key.type == "secret" else key.default
        assert getattr(config, key.field) == default, key.name


def test_the_limits_that_nobody_set() -> None:
    config = Config(home=Path("/h"))
    assert (config.max_turns, config.max_cost) == (500, None)
    assert (config.delegation_max_iterations, config.delegation_max_children) == (50, 3)
    assert (config.compression_threshold, config.compression_protect_last_n) == (0.5, 20)
    assert config.approvals_timeout is None


def test_every_key_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
model:
  provider: custom
  default: qwen3-coder
  base_url: http://localhost:8000/v1
  api_key: my-own-endpoint-key
  context_length: 65536
  key_env: MY_KEY
  api_mode: codex_responses
  max_tokens: 9000
  extra_headers: {X-Team: blue}
bedrock: {region: eu-west-1}
agent:
  reasoning_effort: high
  max_turns: 20
  api_timeout: 60
  api_max_retries: 0
approvals:
  mode: accept_edits
terminal:
  timeout: 2.5
  max_output: 8000
  env_passthrough: [SSH_AUTH_SOCK]
""",
    )
    config = load(tmp_path)
    assert config.warnings == ()
    assert (config.provider, config.model) == ("custom", "qwen3-coder")
    assert config.base_url == "http://localhost:8000/v1"
    assert config.api_key.reveal() == "my-own-endpoint-key"
    assert config.context_window == 65536
    assert (config.max_turns, config.api_timeout, config.api_max_retries) == (20, 60.0, 0)
    assert config.mode == "accept_edits"
    assert (config.key_env, config.api_mode) == ("MY_KEY", "codex_responses")
    assert (config.max_tokens, config.reasoning_effort) == (9000, "high")
    assert config.extra_headers == (("X-Team", "blue"),)
    assert config.bedrock_region == "eu-west-1"
    assert (config.terminal_timeout, config.terminal_max_output) == (2.5, 8000)
    assert config.terminal_env_passthrough == ("SSH_AUTH_SOCK",)


def test_a_model_alone_may_stand_for_its_mapping(tmp_path: Path) -> None:
    write(tmp_path, "model: gpt-x\n")
    assert load(tmp_path).model == "gpt-x"


@pytest.mark.parametrize("text", ["", "# nothing\n", "model:\n", "model:\n  default:\n", "---\n"])
def test_empty_files_and_values_count_as_unset(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    assert load(tmp_path).model is None


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"\xef\xbb\xbfmodel: gpt-x\r\n")
    assert load(tmp_path).model == "gpt-x"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("model:\n  default: 4\n", 2, "model.default must be text, not 4"),
        ("agent:\n  max_turns: many\n", 2, "agent.max_turns must be a whole number, not 'many'"),
        ("agent:\n\n  max_turns: 1.5\n", 3, "agent.max_turns must be a whole number, not 1.5"),
        ("agent: {max_turns: true}\n", 1, "agent.max_turns must be a whole number, not True"),
        ("agent: {max_turns: 0}\n", 1, "agent.max_turns must be from 1 to 1000000000, not 0"),
        ("agent:\n  api_timeout: .inf\n", 2, "agent.api_timeout must be a number, not inf"),
        ("terminal:\n  timeout: {}\n", 2, "terminal.timeout must be a number, not a mapping"),
        ("terminal:\n  env_passthrough: A\n", 2, "must be a list of names, not 'A'"),
        (
            "terminal:\n  env_passthrough: [A, 1]\n",
            2,
            "item 2 of terminal.env_passthrough must be a name, not 1",
        ),
        ("terminal:\n  env_passthrough: ['a b']\n", 2, "must be a name, not 'a b'"),
        ("terminal:\n  env_passthrough:\n    - ''\n", 2, "must be a name, not ''"),
        ("approvals:\n  mode: [a]\n", 2, "approvals.mode must be one word, not a list"),
        ("agent: 5\n", 1, "agent must hold keys, not 5"),
        ("- model\n", 1, "the file must hold keys"),
    ],
)
def test_a_wrong_type_names_file_line_and_key(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        load(tmp_path)
    assert f"{path}:{line}: " in str(error.value)
    assert message in str(error.value)


def test_a_wrong_key_is_not_shown(tmp_path: Path) -> None:
    write(tmp_path, "model:\n  api_key: [hunter2-hunter2]\n")
    with pytest.raises(ConfigError, match=r"model\.api_key must be text") as error:
        load(tmp_path)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model:\n  default: a: b\n", 2),
        ("model:\n\tdefault: x\n", 2),
        ("a: 1\nb: [1, 2\n", 3),
        ("a: 1\nb: \x01\n", 2),
        ("a: &x 1\nb: *y\n", 2),
    ],
)
def test_broken_yaml_names_the_line(tmp_path: Path, text: str, line: int) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        load(tmp_path)
    assert str(error.value).startswith(f"{path}:{line}: not valid YAML (")


def test_nesting_without_end_is_an_error_not_a_crash(tmp_path: Path) -> None:
    path = write(tmp_path, "a: " + "[" * 20_000)
    with pytest.raises(ConfigError, match="not valid YAML"):
        load(tmp_path)
    assert path.exists()


def test_an_alias_that_holds_itself_is_read(tmp_path: Path) -> None:
    write(tmp_path, "other: &x\n  more: *x\nmodel: gpt-x\n")
    assert load(tmp_path).model == "gpt-x"


def test_text_that_is_not_utf_8_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"model: x\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"config\.yaml:2: not UTF-8"):
        load(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "memory: {provider: x, memory_char_limit: 9, user_char_limit: 9, nudge_interval: 10}\n",
        "plugins: {enabled: [a], disabled: [b], paths: []}\n",
        "model: {colour: red}\nterminal: {backend: docker}\n",
        "display: {skin: dark}\n",
    ],
)
def test_what_another_program_keeps_in_our_sections_is_no_matter(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    assert load(tmp_path).warnings == ()


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("modle: x\n", "config.yaml:1: unknown key 'modle' - did you mean 'model'?"),
        (
            "agent:\n  max_turn: 3\n",
            "config.yaml:2: unknown key 'agent.max_turn' - did you mean 'agent.max_turns'?",
        ),
        (
            "model:\n  default: x\n  max_turns: 3\n",
            "config.yaml:3: unknown key 'model.max_turns' - did you mean 'agent.max_turns'?",
        ),
        (
            "memory:\n  memory_enable: no\n",
            "config.yaml:2: unknown key 'memory.memory_enable' - did you mean "
            "'memory.memory_enabled'?",
        ),
        (
            "approvals:\n  mode: accept-edits\n",
            "config.yaml:2: unknown value 'accept-edits' of approvals.mode - "
            "did you mean 'accept_edits'?",
        ),
        (
            "approvals:\n  mode: off\n",
            "config.yaml:2: unknown value False of approvals.mode - known: default, accept_edits, "
            "plan",
        ),
        (
            "agent: {max_turns: 1}\nagent: {max_turns: 2}\n",
            "config.yaml:2: 'agent' stands twice; the last one counts",
        ),
    ],
)
def test_what_is_not_known_is_a_warning_with_a_hint(
    tmp_path: Path, text: str, warning: str
) -> None:
    write(tmp_path, text)
    config = load(tmp_path)
    assert warning in config.warnings
    assert config.mode == "default"


def test_keys_of_another_program_are_left_alone_silently(tmp_path: Path) -> None:
    write(tmp_path, "toolsets: [web]\ndisplay:\n  skin: dark\n1: one\ntrue: yes\n")
    assert load(tmp_path).warnings == ()


def test_variables_of_the_file_beat_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "# keys\nexport A='from$file'\nEMPTY=\nB=\"two\nlines\" # comment\nnonsense here\nBARE\n"
    )
    config = load(tmp_path, A="from process", C="3", EMPTY="from process")
    assert config.variable("A") == "from$file"
    assert config.variable("B") == "two\nlines"
    assert config.variable("C") == "3"
    assert config.variable("EMPTY") == "from process"
    assert config.variable("BARE") is None
    assert config.variable("D") is None
    assert config.warnings == (
        ".env:6: not a NAME=value line; it is ignored",
        ".env:7: not a NAME=value line; it is ignored",
    )


def test_a_key_that_stands_alone_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nexport sk_0123456789 # mine\n")
    assert load(tmp_path).warnings == (".env:2: not a NAME=value line; it is ignored",)


def test_a_complaint_about_variables_is_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text("nonsense here\n")
    load(tmp_path)
    assert caplog.records == []


def test_the_snapshot_does_not_follow_the_environment(tmp_path: Path) -> None:
    env = {"HERMES_HOME": str(tmp_path), "HOME": "/h", "A": "1"}
    config = load_config(env)
    env["A"] = "2"
    assert config.variable("A") == "1"
    with pytest.raises(TypeError):
        config.env["A"] = "2"


def test_keys_are_neither_shown_nor_logged(tmp_path: Path) -> None:
    write(tmp_path, "model:\n  api_key: config-key-12345\n")
    (tmp_path / ".env").write_text("OPENROUTER_API_KEY=file-key-12345\nNAME=harmless-12345\n")
    config = load(tmp_path, SOME_TOKEN="process-token-12345")
    for key in ("config-key-12345", "file-key-12345", "process-token-12345"):
        assert key not in repr(config)
        assert REDACTOR.redact(f"<{key}>") == f"<{MASK}>"
    assert REDACTOR.redact("harmless-12345") == "harmless-12345"


def test_the_home_is_the_chosen_one_or_the_users(tmp_path: Path) -> None:
    assert hermes_home({"HERMES_HOME": "/x/y", "HOME": "/h"}) == Path("/x/y")
    assert hermes_home({"HOME": str(tmp_path)}) == tmp_path / ".hermes"
    assert hermes_home({"HERMES_HOME": " ", "HOME": str(tmp_path)}) == tmp_path / ".hermes"
    assert hermes_home({"HERMES_HOME": "~/h", "HOME": str(tmp_path)}) == tmp_path / "h"
    assert hermes_home({}).is_absolute()


def test_a_relative_home_is_refused() -> None:
    with pytest.raises(ConfigError, match="HERMES_HOME is 'hermes', which is relative"):
        hermes_home({"HERMES_HOME": "hermes", "HOME": "/h"})
    with pytest.raises(ConfigError, match="No home folder is known"):
        hermes_home({"HOME": "relative"})


def test_a_file_in_the_place_of_the_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(ConfigError, match=r"is not a folder\. Set HERMES_HOME"):
        hermes_home({"HERMES_HOME": str(tmp_path / "home")})


@pytest.mark.parametrize("name", ["config.yaml", ".env"])
def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigError, match="is not a regular file"):
        load(tmp_path)
    (tmp_path / name).rmdir()
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigError, match="is not a regular file"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["config.yaml", ".env"])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text("")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ConfigError, match=f"{name} cannot be read: permission denied"):
        load(tmp_path)


def test_reading_the_settings_module_loads_nothing_heavy(run_python) -> None:
    run_python(
        "import sys, hermes_core.local.config\n"
        "heavy = {'yaml', 'dotenv', 'psutil', 'sqlite3', 'difflib', 'subprocess', 'logging'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )


@pytest.mark.parametrize(
    ("name", "masked"),
    [
        ("ANY_API_KEY", True),
        ("MYAPIKEY", True),
        ("AWS_BEARER_TOKEN_BEDROCK", True),
        ("HF_TOKEN", True),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", False),
        ("KEYBOARD_LAYOUT", False),
        ("TOKENIZERS_PATH", False),
    ],
)
def test_a_variables_name_tells_whether_it_is_masked(
    tmp_path: Path, name: str, masked: bool
) -> None:
    value = f"canary-of-{name.lower().replace('_', '-')}"
    load(tmp_path, **{name: value})
    assert (REDACTOR.redact(value) == MASK) == masked
