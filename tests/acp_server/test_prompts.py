"""Content blocks as the text of a message."""

from pathlib import Path
from typing import Any

import pytest

from acp_server.prompts import EMBEDDED_LIMIT, SOUND_LIMIT, read_blocks, with_attached
from acp_server.rpc.errors import RpcError
from hermes_core.ground.content import Attached, Link
from hermes_core.ground.messages import said_in, text_of, user_message

CWD = Path("/w/project")
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA="
MP3 = "SUQzBAAAAAAAAA=="
PNG = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


def to_content(blocks: list[dict[str, Any]], cwd: Path) -> str:
    """Return the text that a model is sent of a prompt."""
    return text_of(user_message(read_blocks(blocks, cwd).content))


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
    image = {"type": "image", "data": "AAAA", "mimeType": "image/heic"}
    audio = {"type": "audio", "data": "AAAA", "mimeType": "audio/ogg"}
    blocks = [text("See:"), image, audio, blob, {"type": "hologram"}]
    content = to_content(blocks, CWD)
    for named in ("image/heic", "audio/ogg", "a.bin", "binary", "'hologram'"):
        assert named in content
    assert "AAAA" not in content
    told = " ".join(read_blocks(blocks, CWD).told)
    for named in ("image/heic", "A sound (audio/ogg) was left out: models take WAV", "a.bin"):
        assert named in told


def test_what_is_typed_is_sent_whomever_it_is_for() -> None:
    block = text("hi") | {"annotations": {"audience": ["user"], "priority": 0}}
    assert to_content([block], CWD) == "hi"


def test_what_is_for_the_user_alone_is_named_and_not_shown_to_the_model() -> None:
    private = {"annotations": {"audience": ["user"]}}
    blocks = [
        embedded("file:///w/project/a.py", "secret words") | private,
        link("file:///w/project/b.py", "b.py") | private,
    ]
    prompted = read_blocks(blocks, CWD)
    assert prompted.content == "[@a.py](a.py) [@b.py](b.py)"
    assert prompted.links == []


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///w/project/a.py", Link("/w/project/a.py")),
        ("file:///w/project/a%20b.py", Link("/w/project/a b.py")),
        ("file:///w/project/src/", Link("/w/project/src")),
        ("file:///etc/hosts", Link("/etc/hosts")),
        ("src/a.py", Link("/w/project/src/a.py")),
        ("file:///w/project/a.py#L10", Link("/w/project/a.py", 10, 10)),
        ("file:///w/project/a.py#L10-20", Link("/w/project/a.py", 10, 20)),
        ("file:///w/project/a.py#L10-L20", Link("/w/project/a.py", 10, 20)),
        ("file:///w/project/a.py#L10:20", Link("/w/project/a.py", 10, 20)),
        ("file:///w/project/a.py#L10C3-L20C9", Link("/w/project/a.py", 10, 20)),
        ("file:///w/project/a.py#L20-10", Link("/w/project/a.py", 20, 20)),
        ("file:///w/project/a.py?symbol=main#L3:9", Link("/w/project/a.py", 3, 9)),
        ("file:///w/project/a.py?symbol=main", Link("/w/project/a.py", symbol="main")),
        ("file:///w/project/a.py#Class.method", Link("/w/project/a.py", symbol="Class.method")),
    ],
)
def test_what_a_link_names_is_to_be_read(uri: str, expected: Link) -> None:
    assert read_blocks([link(uri)], CWD).links == [expected]


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.org/page",
        "http://localhost/a.py",
        "zed:///agent/thread/1",
        "file://server/share/a.py",
        "file://[broken/a.py",
        "",
    ],
)
def test_what_is_elsewhere_is_not_to_be_read(uri: str) -> None:
    assert read_blocks([text("see "), link(uri)], CWD).links == []


def test_the_same_link_is_read_once_and_the_priority_is_kept() -> None:
    important = link("file:///w/project/a.py") | {"annotations": {"priority": 1}}
    prompted = read_blocks([important, important, link("file:///w/project/b.py")], CWD)
    assert [(one.path, one.priority) for one in prompted.links] == [
        ("/w/project/a.py", 1.0),
        ("/w/project/b.py", 0.5),
    ]


def test_what_was_read_stands_beside_the_message_and_not_in_it() -> None:
    attached = [
        Attached(Link("/w/project/a.py", 2, 3), "two\nthree"),
        Attached(Link("/etc/shadow"), "not read, since it may not be", failed=True),
    ]
    content = with_attached("Look", attached, CWD)
    assert said_in(content) == "Look"
    assert text_of(user_message(content)) == (
        "Look\n\na.py#L2-3:\n```\ntwo\nthree\n```\n\n[/etc/shadow: not read, since it may not be]"
    )


def test_an_image_is_a_part_of_the_message() -> None:
    prompted = read_blocks([text("What is this?"), PNG], CWD)
    assert prompted.has_images
    assert not prompted.told
    assert prompted.content == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]
    assert said_in(prompted.content) == "What is this?\n\n[image]"
    assert read_blocks([PNG], CWD).has_images


@pytest.mark.parametrize("kind", ["audio/wav", "audio/x-wav", "AUDIO/WAVE", ""])
def test_a_sound_is_a_part_of_the_message_under_any_of_its_names(kind: str) -> None:
    block = {"type": "audio", "data": f"{WAV[:9]}\n{WAV[9:]}", "mimeType": kind}
    prompted = read_blocks([text("What is said?"), block], CWD)
    assert prompted.content == [
        {"type": "text", "text": "What is said?"},
        {"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}},
    ]
    assert (prompted.has_sounds, prompted.has_images, prompted.told) == (True, False, [])
    assert said_in(prompted.content) == "What is said?\n\n[sound]"
    both = read_blocks([PNG, block, block], CWD)
    assert said_in(both.content) == "[image] [2 sounds]"


def test_an_embedded_sound_is_one_too() -> None:
    resource = {"uri": "file:///w/project/x.mp3", "blob": MP3, "mimeType": "audio/mpeg"}
    prompted = read_blocks([{"type": "resource", "resource": resource}], CWD)
    assert prompted.content == [
        {"type": "text", "text": "[@x.mp3](x.mp3)"},
        {"type": "input_audio", "input_audio": {"data": MP3, "format": "mp3"}},
    ]


def test_a_sound_for_the_user_alone_is_named_without_a_word_to_them() -> None:
    private = {"annotations": {"audience": ["user"]}}
    prompted = read_blocks([{"type": "audio", "data": WAV, "mimeType": "audio/wav"} | private], CWD)
    assert prompted.content == "[A sound (audio/wav) was left out.]"
    assert prompted.told == []


def test_a_sound_that_is_too_long_is_left_out_before_it_is_decoded() -> None:
    block = {"type": "audio", "data": "!" * (SOUND_LIMIT + 1), "mimeType": "audio/wav"}
    prompted = read_blocks([block], CWD)
    assert prompted.content == "[A sound of 15 MB was left out.]"
    assert prompted.told == ["A sound of 15 MB was left out. Attach a shorter one."]


def test_embedded_images_and_texts_in_base64_are_shown_too() -> None:
    def blob(kind: str, data: str) -> dict[str, Any]:
        resource = {"uri": "file:///w/project/x", "blob": data, "mimeType": kind}
        return {"type": "resource", "resource": resource}

    assert read_blocks([blob("image/png", "AAAA")], CWD).has_images
    assert "```\nhi\n```" in to_content([blob("text/plain", "aGk=")], CWD)


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
        ({"type": "image", "mimeType": "image/png"}, "prompt[0].data"),
        ({"type": "image", "mimeType": "image/png", "data": "no!"}, "prompt[0].data"),
        ({"type": "audio", "mimeType": "audio/wav"}, "prompt[0].data"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "no!"}, "prompt[0].data"),
    ],
)
def test_a_broken_block_is_refused_by_name(block: dict[str, Any], named: str) -> None:
    with pytest.raises(RpcError) as refused:
        to_content([block], CWD)
    assert refused.value.code == -32602
    assert named in refused.value.message
