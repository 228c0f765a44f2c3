"""The editors that Hermes can be put into: where each keeps its settings, what to write there.

Places and names are those of the editors' own documentation:

- Zed: https://zed.dev/docs/ai/external-agents
- JetBrains: https://www.jetbrains.com/help/ai-assistant/acp.html
- acpx: docs/config.md of openclaw/acpx
- Neovim: ``:help xdg``
- Emacs: https://www.gnu.org/software/emacs/manual/html_node/emacs/Find-Init.html
- Jupyter AI: local personas in ``.jupyter/personas`` (jupyter-ai-persona-manager)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_core.ground.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where editors are looked for: the user's home, the environment, ``sys.platform``."""

    home: Path
    env: Mapping[str, str]
    platform: str

    @property
    def config(self) -> Path:
        """The folder of settings by the XDG specification, which ignores relative values."""
        chosen = self.env.get("XDG_CONFIG_HOME", "")
        return Path(chosen) if chosen.startswith("/") else self.home / ".config"


@dataclass(frozen=True, slots=True)
class Program:
    """How an editor starts Hermes; ``args`` serve the protocol, ``env`` is added to its own."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Editor:
    """One editor. Either ``keys`` and ``entry`` (settings), or ``template`` (a file of our own).

    place: the file. keys: where in it the entry stands. line: what the user adds to the
    configuration, for those that are code. then: how to get to the first answer.
    """

    name: str
    title: str
    place: Callable[[Surroundings], Path]
    then: str
    keys: tuple[str, ...] = ()
    entry: Callable[[Program], dict[str, Any]] | None = None
    template: str = ""
    line: str = ""


def find_editor(name: str) -> Editor:
    """Return the editor of that name; raise ``ConfigError`` with the names there are."""
    for editor in EDITORS:
        if editor.name == name.lower():
            return editor
    names = ", ".join(editor.name for editor in EDITORS)
    hint = _KIN.get(name.lower())
    more = f" For {name}: {hint}." if hint else ""
    raise ConfigError(f"There is no editor {name} here.{more}\nThe names are {names}.")


_KIN = {
    "neovim": "codecompanion, agentic or avante, by the plugin that you use",
    "nvim": "codecompanion, agentic or avante, by the plugin that you use",
    "emacs": "agent-shell",
    "intellij": "jetbrains",
    "pycharm": "jetbrains",
    "jupyterlab": "jupyter",
    "vscode": "an ACP extension, with the command `hermes acp`",
}


def _zed(around: Surroundings) -> Path:
    """Zed keeps to XDG on Linux alone; a Flatpak has its own home."""
    if around.platform == "darwin":
        return around.home / ".config" / "zed" / "settings.json"
    own = around.config / "zed" / "settings.json"
    packed = around.home / ".var" / "app" / "dev.zed.Zed" / "config" / "zed" / "settings.json"
    return packed if packed.is_file() and not own.is_file() else own


def _neovim(module: str) -> Callable[[Surroundings], Path]:
    def place(around: Surroundings) -> Path:
        folder = around.env.get("NVIM_APPNAME") or "nvim"
        return around.config / folder / "lua" / f"{module}.lua"

    return place


def _emacs(around: Surroundings) -> Path:
    """Emacs prefers the old places wherever one of them is there."""
    old, xdg = around.home / ".emacs.d", around.config / "emacs"
    plain = any((around.home / name).exists() for name in (".emacs", ".emacs.el"))
    folder = xdg if xdg.is_dir() and not old.exists() and not plain else old
    return folder / "hermes-agent-shell.el"


def _server(program: Program) -> dict[str, Any]:
    return {"command": program.command, "args": list(program.args), "env": dict(program.env)}


def _argv(program: Program) -> dict[str, Any]:
    return {"argv": [program.command, *program.args]}


def _lua(plugin: str) -> str:
    return f'require("{plugin}").setup(require("hermes-{plugin}")({{}}))'


EDITORS = (
    Editor(
        "zed",
        "Zed",
        _zed,
        "In Zed: the agent panel, +, Hermes.",
        ("agent_servers", "Hermes"),
        lambda program: {"type": "custom", **_server(program)},
    ),
    Editor(
        "jetbrains",
        "JetBrains IDEs",
        lambda around: around.home / ".jetbrains" / "acp.json",
        "In the IDE: the AI Chat, and Hermes among its agents.",
        ("agent_servers", "Hermes"),
        _server,
    ),
    Editor(
        "codecompanion",
        "Neovim with codecompanion.nvim",
        _neovim("hermes-codecompanion"),
        "In Neovim: :CodeCompanionChat, type, Enter.",
        template="codecompanion.lua",
        line=_lua("codecompanion"),
    ),
    Editor(
        "agentic",
        "Neovim with agentic.nvim",
        _neovim("hermes-agentic"),
        'In Neovim: :lua require("agentic").toggle(), type, Ctrl-S.',
        template="agentic.lua",
        line=_lua("agentic"),
    ),
    Editor(
        "avante",
        "Neovim with avante.nvim",
        _neovim("hermes-avante"),
        "In Neovim: :AvanteAsk. Its auto-approval is switched off, for every provider.",
        template="avante.lua",
        line=_lua("avante"),
    ),
    Editor(
        "agent-shell",
        "Emacs with agent-shell",
        _emacs,
        "In Emacs: M-x hermes-agent-shell.",
        template="agent-shell.el",
        line='(load (locate-user-emacs-file "hermes-agent-shell") t)',
    ),
    Editor(
        "jupyter",
        "JupyterLab with Jupyter AI",
        lambda around: around.home / ".jupyter" / "personas" / "hermes_persona.py",
        "In a chat of JupyterLab: /refresh-personas, then @Hermes. Found where JupyterLab was "
        "started in your home; elsewhere: --file FOLDER/.jupyter/personas/hermes_persona.py",
        template="jupyter.txt",
    ),
    Editor(
        "acpx",
        "acpx",
        lambda around: around.home / ".acpx" / "config.json",
        'In a terminal: acpx hermes exec "what is this?"',
        ("agents", "hermes"),
        _argv,
    ),
)
