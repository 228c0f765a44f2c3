import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hermes_core.ground.errors import ToolError
from hermes_core.tools.edits import Edit, apply_edits
from hermes_core.tools.lines import BOM, View, decode, encode, plain, readable


def edited(text: str, *edits: tuple[str, str] | tuple[str, str, bool]) -> str:
    return apply_edits(text, [Edit(*edit) for edit in edits]).text


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"),
    [
        pytest.param("a\nb\nc\n", "b", "x", "a\nx\nc\n", id="part of a line"),
        pytest.param("a\nb\nc\n", "b\n", "", "a\nc\n", id="a line is removed"),
        pytest.param("a\nb", "b", "b\nc", "a\nb\nc", id="no final newline"),
        pytest.param("a\nb", "b\n", "c\n", "a\nc", id="a final newline that is not there"),
        pytest.param("a\r\nb\r\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n", id="CRLF"),
        pytest.param("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", id="CRLF, new line inside"),
        pytest.param("a\r\nb", "b", "x\ny", "a\r\nx\r\ny", id="CRLF, last line"),
        pytest.param("a\r\nb\r\n", "a\r\nb", "x\r\nb", "x\r\nb\r\n", id="CRLF sent as CRLF"),
        pytest.param("a\nb\n", "a\r\nb", "x\r\nb", "x\nb\n", id="LF sent as CRLF"),
        pytest.param("a\r\nb\nc\r\n", "a\nb\nc", "a\nx\nc", "a\r\nx\nc\r\n", id="mixed ends"),
        pytest.param(
            "a\r\nb\nc\r\nd\n", "b\nc\n", "b\nnew\nc\n", "a\r\nb\nnew\nc\r\nd\n", id="mixed, insert"
        ),
        pytest.param(BOM + "a\nb\n", "a\n", "x\n", BOM + "x\nb\n", id="BOM"),
        pytest.param(BOM + "a\n", BOM + "a", BOM + "x", BOM + "x\n", id="BOM sent"),
        pytest.param("a\rb\r\n", "b", "c", "a\rc\r\n", id="lone carriage return"),
        pytest.param("a  \nb\t\n", "a\nb\n", "a\nc\n", "a  \nc\n", id="trailing blanks"),
        pytest.param("a\nb\n", "a \nb ", "a \nx", "a\nx\n", id="trailing blanks sent"),
        pytest.param(
            "if x:\n        a\n        b\n",
            "    a\n    b",
            "    a\n    if y:\n        c\n    b",
            "if x:\n        a\n        if y:\n            c\n        b\n",
            id="deeper in the file",
        ),
        pytest.param(
            "def f():\n    a\n    b\n",
            "        a\n        b\n",
            "        a\n    c\n",
            "def f():\n    a\nc\n",
            id="less deep in the file",
        ),
        pytest.param(
            "\tif x:\n\t\ta\n",
            "    if x:\n        a\n",
            "    if x:\n        while y:\n            a\n",
            "\tif x:\n\t\twhile y:\n\t\t\ta\n",
            id="tabs in the file",
        ),
        pytest.param(
            "  if x:\n    a\n",
            "    if x:\n        a\n",
            "    if x:\n        a\n        b\n",
            "  if x:\n    a\n    b\n",
            id="other unit in the file",
        ),
        pytest.param(
            "\ta = 1\n",
            "a = 1",
            "if y:\n    a = 2",
            "\tif y:\n    a = 2\n",
            id="a part of a line is taken as it is",
        ),
        pytest.param(
            "\ta\n\tb\n", "a\nb\n", "if y:\n  a\nb\n", "\tif y:\n\t\ta\n\tb\n", id="unit of the new"
        ),
    ],
)
def test_an_edit_is_made(text: str, old: str, new: str, wanted: str) -> None:
    assert edited(text, (old, new)) == wanted


def test_edits_follow_one_another() -> None:
    assert edited("one two", ("one", "three"), ("three two", "done")) == "done"


def test_all_places_are_edited() -> None:
    assert edited("a b a\na", ("a", "x", True)) == "x b x\nx"


def test_all_places_are_edited_without_regard_to_indentation() -> None:
    text = "  f(\n  1)\n    f(\n    1)\n"
    assert edited(text, ("f(\n1)", "f(\n2)", True)) == "  f(\n  2)\n    f(\n    2)\n"


def test_the_line_of_the_first_change_is_told() -> None:
    result = apply_edits("a\nb\nc\n", [Edit("c", "x"), Edit("b", "y")])
    assert result.line == 2
    assert result.notes == ()


def test_a_tolerant_match_is_told() -> None:
    (note,) = apply_edits("\ta\n\tb\n", [Edit("  a\n  b\n", "  c\n")]).notes
    assert "indentation" in note


@pytest.mark.parametrize(
    ("text", "edits", "said"),
    [
        pytest.param("a\na\n", [Edit("a", "b")], r"2 places \(lines 1, 2\)", id="two places"),
        pytest.param("  a\n\ta\n", [Edit("   a\n", "b\n")], r"2 places", id="two tolerant places"),
        pytest.param("a", [Edit("", "b")], "old is empty", id="empty"),
        pytest.param("a", [Edit("a", "a")], "are the same", id="no change"),
        pytest.param("a", [], "no edit", id="no edits"),
        pytest.param("a\nb\n", [Edit("zzzzzz", "b")], "Nothing in it is similar", id="absent"),
        pytest.param("x = 2\n", [Edit("x = 1", "x = 2")], "already stands at line 1", id="done"),
        pytest.param(
            "one\ndef total(items):\n    return sum(items)\n",
            [Edit("def totals(items):\n    return sum(items)", "x")],
            r"2\| def total\(items\):\n3\|     return sum\(items\)",
            id="nearest block",
        ),
        pytest.param(
            "value = compute(1)\n", [Edit("value = compute(2)", "x")], r"1\| value", id="one line"
        ),
        pytest.param(
            "a\nb\n", [Edit("a", "x"), Edit("zzzz", "y")], "Edit 2 of 2 cannot", id="second fails"
        ),
        pytest.param(
            "  a\n    b\n  c\n",
            [Edit("a\nb\nc\n", "x\n")],
            "not in the file",
            id="another nesting is another block",
        ),
    ],
)
def test_an_edit_without_one_place_is_refused(text: str, edits: list[Edit], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        apply_edits(text, edits)


def test_nothing_of_the_text_is_told_unless_asked() -> None:
    with pytest.raises(ToolError) as caught:
        apply_edits(
            "password = secret\n", [Edit("password = ", "x"), Edit("pass", "")], explain=False
        )
    assert "secret" not in str(caught.value)


def test_undecodable_bytes_are_kept_where_the_model_saw_marks() -> None:
    text = decode(b"caf\xe9 1\nna\xefve\n")
    result = edited(text, ("caf\ufffd 1\nna\ufffdve", "caf\ufffd 2\nna\ufffdve"))
    assert encode(result) == b"caf\xe9 2\nna\xefve\n"


def test_marks_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ToolError, match="U\\+FFFD"):
        edited(decode(b"\xe9\xea\n"), ("\ufffd\ufffd", "\ufffd"))


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ToolError, match="half of a character"):
        edited("a", ("a", "\udce9"))


LINES = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab \t.\xe9\u20ac"), max_size=6), st.sampled_from(["\n", "\r\n"])
    ),
    min_size=1,
    max_size=12,
)


def edited_if_unique(text: str, old: str, new: str) -> str | None:
    """Return the edited text, or None if ``old`` stands at several places or at none."""
    try:
        return edited(text, (old, new))
    except ToolError as error:
        if not re.search("places|not in the file", str(error)):
            raise
        return None


@given(data=st.binary(max_size=200))
def test_any_bytes_survive_decoding(data: bytes) -> None:
    assert encode(decode(data)) == data


@given(data=st.binary(max_size=60), start=st.integers(0, 60), length=st.integers(0, 60))
def test_a_view_leads_back_to_the_original(data: bytes, start: int, length: int) -> None:
    text = decode(data)
    view = View(text)
    start = min(start, len(view.text))
    end = min(start + length, len(view.text))
    first, last = view.slice(start, end)
    assert readable(plain(text[first:last])) == view.text[start:end]
    assert not text[:first].endswith("\r") or not text[first:].startswith("\n")


@given(
    before=st.binary(max_size=40),
    after=st.binary(max_size=40),
    new=st.text(st.sampled_from("xyz \n\t"), max_size=20),
)
def test_bytes_outside_of_an_exact_edit_never_change(before: bytes, after: bytes, new: str) -> None:
    marker = "<<the old>>"
    assume(b"<<the old>>" not in before + after and new != marker)
    # The view joins "\r" and "\n" to one line end; here none may be torn by the marker.
    data = before + marker.encode() + after
    result = encode(edited(decode(data), (marker, new)))
    assert result.startswith(before)
    assert result.endswith(after)
    middle = result[len(before) : len(result) - len(after)]
    assert middle.replace(b"\r\n", b"\n") == new.encode()


@given(lines=LINES, data=st.data())
def test_lines_outside_of_a_tolerant_edit_never_change(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = "".join(content + end for content, end in lines)
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    sent = [content.strip(" \t") for content, _ in lines[first : last + 1]]
    old = "\n".join(sent) + "\n"
    new = old + "Z = 1\n"
    assume(old.strip())
    result = edited_if_unique(text, old, new)
    if result is None:
        return
    assert result.replace("\r\n", "\n").count("Z = 1\n") == 1
    # Without the line that was added, the text is what it was, byte for byte.
    assert re.sub(r"[ \t]*Z = 1\r?\n", "", result) == text


@given(lines=LINES)
def test_an_edit_and_its_reverse_give_the_same_bytes(lines: list[tuple[str, str]]) -> None:
    text = "".join(content + end for content, end in lines) + "<<end>>"
    there = edited(text, ("<<end>>", "<<one>>\n<<two>>"))
    back = edited(there, ("<<one>>\n<<two>>", "<<end>>"))
    assert back == text
