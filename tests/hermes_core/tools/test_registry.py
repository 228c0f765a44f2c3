import json
from pathlib import Path
from typing import Any

import pytest

from hermes_core.ground.actions import NOTHING
from hermes_core.ground.content import CardContent, Diff, Text
from hermes_core.ground.errors import ToolError
from hermes_core.ground.secrets import MASK, REDACTOR, Secret
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import (
    Output,
    Prepared,
    Progress,
    ToolContext,
    bundled_tools,
    check_arguments,
    tool,
)

SECRET = "a-key-that-nobody-should-see"


@tool(kind="other", together="never", interactive=True)
def leak(_ctx: ToolContext, path: str = "x") -> Prepared:
    """Say what it should not."""

    def run(progress: Progress) -> Output:
        progress((Text(f"so far {SECRET}"),))
        diff = Diff("/a", SECRET, SECRET)
        return Output(f"all {SECRET} of {path}", (Text(SECRET), diff), failed=True)

    return Prepared("Leak", NOTHING, run)


def test_the_bundled_tools_come_in_one_order() -> None:
    specs = bundled_tools()
    assert [(spec.name, spec.kind, spec.together) for spec in specs.values()] == [
        ("read_file", "read", "always"),
        ("search_files", "search", "always"),
        ("patch", "edit", "paths"),
        ("write_file", "edit", "paths"),
        ("terminal", "execute", "never"),
        ("execute_code", "execute", "never"),
        ("web_fetch", "fetch", "never"),
    ]
    assert not any(spec.interactive for spec in specs.values())


def test_the_schemas_are_small_and_complete() -> None:
    schemas = [spec.schema for spec in bundled_tools().values()]
    assert len(json.dumps(schemas, separators=(",", ":"))) <= 4_500
    for schema in schemas:
        assert schema["type"] == "function"
        function: dict[str, Any] = schema["function"]
        assert function["name"] in bundled_tools()
        assert 40 <= len(function["description"]) <= 300
        for name in function["parameters"]["required"]:
            assert function["parameters"]["properties"][name]["description"]


def test_the_decorator_takes_name_and_description_from_the_function() -> None:
    assert leak.name == "leak"
    assert leak.interactive
    assert leak.schema["function"]["description"] == "Say what it should not."


def test_arguments_are_checked_before_a_call_is_prepared(ctx: ToolContext) -> None:
    with pytest.raises(ToolError, match="leak: paths is unknown"):
        leak.prepare(ctx, {"paths": "x"})
    assert check_arguments(leak, {"path": 5}) == {"path": "5"}


def test_secrets_are_masked_in_texts_and_left_in_diffs(ctx: ToolContext) -> None:
    REDACTOR.register(Secret(SECRET))
    shown: list[tuple[CardContent, ...]] = []
    output = leak.prepare(ctx, {}).run(shown.append)
    assert shown == [(Text(f"so far {MASK}"),)]
    assert output.text == f"all {MASK} of x"
    assert output.content == (Text(MASK), Diff("/a", SECRET, SECRET))
    assert output.failed


def test_the_paths_of_a_call_are_real(project: Path, tmp_path: Path) -> None:
    workspace = Workspace(project)
    (project / "link").symlink_to(tmp_path)
    specs = bundled_tools()
    assert specs["patch"].paths(workspace, {"path": "link/a"}) == (tmp_path / "a",)
    assert specs["search_files"].paths(workspace, {}) == (project,)
    assert specs["patch"].paths(workspace, {}) == ()
    assert specs["patch"].paths(workspace, {"path": "a\0"}) == ()
    assert specs["terminal"].paths(workspace, {"command": "ls"}) == ()
