import pytest

from hermes_core.tools.names import find_tool, nearest, unknown_tool

KNOWN = ["read_file", "search_files", "patch", "terminal"]


@pytest.mark.parametrize(
    "name",
    [
        "read_file",
        "Read_File",
        "read-file",
        "read file",
        "ReadFile",
        "readFile",
        " read_file\n",
        "functions.read_file",
        "read_file_tool",
        "ReadFileTool",
        'read_file">',
        "read_file<|call|>",
        '"read_file"',
    ],
)
def test_another_spelling_is_the_same_tool(name: str) -> None:
    assert find_tool(name, KNOWN) == "read_file"


@pytest.mark.parametrize(
    "name", ["", "   ", "read", "read_files", "terminals", "<>", "tool", "_tool"]
)
def test_a_name_that_is_merely_alike_is_no_tool(name: str) -> None:
    assert find_tool(name, KNOWN) is None


def test_the_tools_are_told_and_one_is_suggested() -> None:
    text = unknown_tool("read_files", KNOWN)
    assert "Did you mean read_file?" in text
    assert "read_file, search_files, patch, terminal" in text


def test_nothing_is_suggested_where_nothing_is_near() -> None:
    assert nearest("zzz", KNOWN) is None
    assert "Did you mean" not in unknown_tool("zzz", KNOWN)
    assert "Did you mean" not in unknown_tool("", KNOWN)
