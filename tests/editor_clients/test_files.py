"""What lies in editor-clients: valid by each editor's rules, and what the program itself writes."""

import ast
import json
import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from hermes_core.commands.editor_entry import ICON, own_file, quoted, with_entry
from hermes_core.commands.editor_table import EDITORS, Editor, Program, find_editor
from hermes_core.ground.errors import ConfigError
from hermes_core.ground.version import __version__
from hermes_core.local.jsonc_edit import load
from tests.editor_clients.lisp import forms

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "editor-clients"
REGISTRY = CLIENTS / "registry"
PLAIN = Program("hermes", ("acp",))
ABSOLUTE = Program("/path/to/hermes", ("acp",))
FULL = Program('/a "b"\\c/hermes', ("--from", "x==1", "hermes", "acp"), {"HERMES_HOME": "/h"})
FILES = {
    "zed": CLIENTS / "zed" / "settings.json",
    "jetbrains": CLIENTS / "jetbrains" / "acp.json",
    "acpx": CLIENTS / "acpx" / "config.json",
    "registry": next(REGISTRY.glob("*/agent.json")),
}
OWN = {
    "codecompanion": CLIENTS / "neovim" / "hermes-codecompanion.lua",
    "agentic": CLIENTS / "neovim" / "hermes-agentic.lua",
    "avante": CLIENTS / "neovim" / "hermes-avante.lua",
    "agent-shell": CLIENTS / "emacs" / "hermes-agent-shell.el",
}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def check(name: str, data: Any) -> None:
    schema = read(Path(__file__).parent / "schemas" / f"{name}.schema.json")
    checker = jsonschema.Draft202012Validator
    checker.check_schema(schema)
    checker(schema, format_checker=checker.FORMAT_CHECKER).validate(data)


@pytest.mark.parametrize("name", FILES)
def test_a_settings_file_keeps_to_its_schema(name: str) -> None:
    check(name, read(FILES[name]))


@pytest.mark.parametrize("name", ["zed", "jetbrains", "acpx"])
def test_what_is_installed_keeps_to_the_schema_and_is_what_lies_here(name: str) -> None:
    editor = find_editor(name)
    check(name, load(with_entry("", editor, FULL)))
    assert with_entry("", editor, ABSOLUTE) == FILES[name].read_text(encoding="utf-8")


SPOILED: dict[str, list[tuple[str, Any]]] = {
    "zed": [
        ("agent_servers.Hermes.type", "extension"),
        ("agent_servers.Hermes.command", None),
        ("agent_servers.Hermes.args", "acp"),
        ("agent_servers.Hermes.envs", {}),
    ],
    "jetbrains": [
        ("agent_servers.Hermes.command", "hermes"),
        ("agent_servers.Hermes.type", "custom"),
        ("agent_servers.Hermes.env", {"A": 1}),
        ("servers", {}),
    ],
    "acpx": [("agents.hermes.argv", []), ("agents.hermes.command", "x"), ("agent", {})],
    "registry": [
        ("id", "Hermes"),
        ("version", "0.1"),
        ("distribution.uvx.package", "hermes-editor-agent@latest"),
        ("distribution.pip", {}),
        ("description", ""),
    ],
}


@pytest.mark.parametrize(
    ("name", "path", "value"), [(n, *one) for n, spoiled in SPOILED.items() for one in spoiled]
)
def test_a_schema_refuses_what_the_editor_would(name: str, path: str, value: Any) -> None:
    data = read(FILES[name])
    *above, last = path.split(".")
    inside = data
    for key in above:
        inside = inside[key]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    with pytest.raises(jsonschema.ValidationError):
        check(name, data)


# Files of our own


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_our_own_is_what_the_program_places(name: str) -> None:
    text = OWN[name].read_text(encoding="utf-8")
    assert text == own_file(find_editor(name), PLAIN)
    placed = find_editor(name).place
    assert OWN[name].suffix in (".lua", ".el")
    assert placed is not None


@pytest.mark.parametrize("name", [*OWN, "jupyter"])
def test_a_placed_file_starts_the_program_that_runs(name: str) -> None:
    text = own_file(find_editor(name), FULL)
    assert all(quoted(part) in text for part in (FULL.command, *FULL.args))
    assert '"hermes", "acp"' not in own_file(find_editor(name), ABSOLUTE)
    assert "HERMES_HOME" in text
    assert "HERMES_HOME" not in own_file(find_editor(name), PLAIN)


def test_avante_never_answers_for_the_user() -> None:
    text = OWN["avante"].read_text(encoding="utf-8")
    assert "auto_approve_tool_permissions = false" in text
    assert "auto_approve_tool_permissions = true" not in text


def test_what_no_editor_should_hold_is_refused() -> None:
    with pytest.raises(ConfigError, match="plain name"):
        own_file(find_editor("avante"), Program("/a\nb/hermes", ("acp",)))


def test_the_lisp_reads() -> None:
    for program in (PLAIN, FULL):
        heads = [
            re.split(r"[\s)]", form[1:], maxsplit=1)[0]
            for form in forms(own_file(find_editor("agent-shell"), program))
        ]
        assert heads == [
            "defvar",
            *["declare-function"] * 3,
            "defgroup",
            "defcustom",
            "defcustom",
            "defun",
            "defun",
            "defun",
            "with-eval-after-load",
            "provide",
        ]


@pytest.mark.parametrize(
    "text", ["(a (b)", "(a))", '(a "b)', "(a ]", "(defun f (x)\n  (g x)\n(defun h ())"]
)
def test_the_reader_of_lisp_finds_faults(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        forms(text)


@pytest.mark.parametrize("source", ["placed", "package"])
def test_the_persona_is_python_that_starts_the_server(source: str) -> None:
    if source == "placed":
        text = own_file(find_editor("jupyter"), FULL)
    else:
        text = (CLIENTS / "jupyter" / "hermes_jupyter" / "persona.py").read_text(encoding="utf-8")
    module = ast.parse(text)
    (persona,) = [node for node in module.body if isinstance(node, ast.ClassDef)]
    assert persona.name == "HermesPersona"
    assert [ast.unparse(base) for base in persona.bases] == ["BaseAcpPersona"]
    assert "executable=COMMAND" in text
    if source == "placed":
        found = {
            ast.unparse(n.targets[0]): n.value for n in module.body if isinstance(n, ast.Assign)
        }
        assert ast.literal_eval(found["COMMAND"]) == [FULL.command, *FULL.args]
        assert ast.literal_eval(found["ENVIRONMENT"]) == {"HERMES_HOME": "/h"}
        assert Path(ast.literal_eval(found["AVATAR"])) == ICON


def test_the_persona_is_an_entry_point() -> None:
    project = tomllib.loads((CLIENTS / "jupyter" / "pyproject.toml").read_text(encoding="utf-8"))
    points = project["project"]["entry-points"]["jupyter_ai.personas"]
    module, _, name = points["hermes"].partition(":")
    path = CLIENTS / "jupyter" / f"{module.replace('.', '/')}.py"
    assert f"class {name}(" in path.read_text(encoding="utf-8")
    assert (path.parent / "icon.svg").is_file()


# The registry


def test_the_registry_entry_is_of_this_version_of_this_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entry, start = read(FILES["registry"]), read(FILES["registry"])["distribution"]["uvx"]
    assert entry["id"] == FILES["registry"].parent.name
    assert entry["version"] == project["version"] == __version__
    assert start["package"] == f"{project['name']}=={project['version']}"
    assert start["cmd"] in project["scripts"]
    assert entry["license"] == project["license"]


COLOURS = {"currentColor", "none", "inherit"}


def faults_of_icon(text: str) -> list[str]:
    """Return what the registry would refuse: size, colours, comments."""
    root = ET.fromstring(text)
    found = [
        f"{side} is {root.get(side)}" for side in ("width", "height") if root.get(side) != "16"
    ]
    if root.get("viewBox") != "0 0 16 16":
        found.append("viewBox")
    for node in root.iter():
        painted = {name: node.get(name, "none") for name in ("fill", "stroke", "style")}
        found += [f"{name}={one}" for name, one in painted.items() if one not in COLOURS]
    if "currentColor" not in text or "<!--" in text:
        found.append("no currentColor, or a comment")
    return found


def test_the_icon_keeps_to_the_registrys_rules() -> None:
    icon = (FILES["registry"].parent / "icon.svg").read_text(encoding="utf-8")
    assert faults_of_icon(icon) == []
    assert faults_of_icon(icon.replace('width="16"', 'width="24"'))
    assert faults_of_icon(icon.replace('fill="currentColor"', 'fill="#f00"'))
    assert faults_of_icon(icon.replace("</svg>", "<!-- x --></svg>"))
    for copy in (CLIENTS / "jupyter" / "hermes_jupyter" / "icon.svg", ICON):
        assert copy.read_text(encoding="utf-8") == icon


# The pages

DOCS = ROOT / "docs" / "editors.md"
PAGES = [*sorted(CLIENTS.glob("**/README.md")), DOCS, ROOT / "README.md"]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_names_what_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (path.parent / target).exists(), target
    names = {editor.name for editor in EDITORS}
    for name in re.findall(r"hermes editor (?:un)?install ([a-z-]+)", text):
        assert name in names


@pytest.mark.parametrize("editor", EDITORS, ids=lambda e: e.name)
def test_every_editor_is_on_the_pages(editor: Editor) -> None:
    for path in (DOCS, ROOT / "README.md", CLIENTS / "README.md"):
        assert f"`{editor.name}`" in path.read_text(encoding="utf-8") or (
            f"install {editor.name}`" in path.read_text(encoding="utf-8")
        ), path


@pytest.mark.parametrize("name", ["codecompanion", "agent-shell"])
def test_the_line_to_add_is_the_one_that_the_program_tells(name: str) -> None:
    assert find_editor(name).line in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["zed", "jetbrains", "neovim", "emacs", "jupyter", "acpx"])
def test_five_lines_to_the_first_answer(folder: str) -> None:
    text = (CLIENTS / folder / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^(\d)\. ", text, re.MULTILINE)
    assert steps == ["1", "2", "3", "4", "5"]
    assert "hermes editor install" in text
