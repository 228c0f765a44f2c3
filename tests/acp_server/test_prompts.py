"""Content blocks as the text of a message."""

from pathlib import Path
from typing import Any

import pytest

from acp_server.prompts import EMBEDDED_LIMIT, to_content
from acp_server.rpc.errors import RpcError

CWD = Path("/w/project")


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def link(uri: str, name: str = "app.py") -> dict[str, Any]:
    return {"type": "resource_link", "uri": uri, "name": name}


def embedded(uri: str, value: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "text": value, "mimeType": "text/plain"}}


def test_text_is_kept_as_it_is() -> None:
    assert to_content([text("  fix\n\x00 it ")], CWD) == "  fix\n\x00 it "


def test_a_link_stands_where_it_was_written() -> None:
    blocks = [text("Look at "), link("file:///w/project/src/app.py"), text(" please.")]
    assert to_content(blocks, CWD) == "Look at [@app.py](src/app.py) please."


def test_blocks_without_space_between_them_do_not_grow_together() -> None:
    assert to_content([text("A note."), text("A question")], CWD) == "A note.\n\nA question"
    assert to_content([text("see"), link("file:///w/project/a")], CWD) == "see [@app.py](a)"


@pytest.mark.parametrize(
    ("uri", "target"),
    [
        ("file:///w/project/my%20file.py", "my file.py"),
        ("file:///w/project/a.py#L10-20", "a.py#L10-20"),
        ("file://localhost/w/project/a.py", "a.py"),
        ("file:///etc/hosts", "/etc/hosts"),
        ("file:///w/project-two/a.py", "/w/project-two/a.py"),
        ("file://server/share/a.py", "file://server/share/a.py"),
        ("https://example.org/page", "https://example.org/page"),
        ("zed:///agent/thread/1", "zed:///agent/thread/1"),
    ],
)
def test_a_link_names_the_path_that_tools_take_or_its_address(uri: str, target: str) -> None:
    assert to_content([link(uri)], CWD) == f"[@app.py]({target})"


def test_an_embedded_file_follows_fenced_under_its_path() -> None:
    blocks = [text("Explain "), embedded("file:///w/project/a.py", "x = 1\n"), text(" to me")]
    assert to_content(blocks, CWD) == "Explain [@a.py](a.py) to me\n\na.py:\n```\nx = 1\n```"


def test_a_fence_is_longer_than_any_inside_it() -> None:
    content = to_content([embedded("file:///w/project/a.md", "````py\nx\n````")], CWD)
    assert content.endswith("`````\n````py\nx\n````\n`````")


def test_a_large_embedded_file_is_cut_and_says_so() -> None:
    content = to_content([embedded("file:///w/project/a.py", "x" * (EMBEDDED_LIMIT + 5))], CWD)
    assert len(content) < EMBEDDED_LIMIT + 300
    assert "(the first 100,000 of 100,005 characters)" in content


def test_what_a_model_cannot_be_shown_is_named() -> None:
    blob = {"type": "resource", "resource": {"uri": "file:///w/project/a.bin", "blob": "AAAA"}}
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    audio = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
    content = to_content([text("See:"), image, audio, blob, {"type": "hologram"}], CWD)
    for named in ("image/png", "audio/wav", "a.bin", "binary", "'hologram'"):
        assert named in content
    assert "AAAA" not in content


def test_annotations_change_nothing() -> None:
    block = text("hi") | {"annotations": {"audience": ["user"], "priority": 0}}
    assert to_content([block], CWD) == "hi"


@pytest.mark.parametrize("blocks", [[], [text("")], [text(" \n")]])
def test_an_empty_prompt_is_refused(blocks: list[dict[str, Any]]) -> None:
    with pytest.raises(RpcError) as refused:
        to_content(blocks, CWD)
    assert refused.value.code == -32602
    assert "prompt" in refused.value.message


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "text"}, "prompt[0].text"),
        ({"type": "text", "text": 5}, "prompt[0].text"),
        ({"type": "resource_link", "name": "a"}, "prompt[0].uri"),
        ({"type": "resource"}, "prompt[0].resource"),
        ({"type": "resource", "resource": {"text": "a"}}, "prompt[0].resource.uri"),
    ],
)
def test_a_broken_block_is_refused_by_name(block: dict[str, Any], named: str) -> None:
    with pytest.raises(RpcError) as refused:
        to_content([block], CWD)
    assert refused.value.code == -32602
    assert named in refused.value.message
