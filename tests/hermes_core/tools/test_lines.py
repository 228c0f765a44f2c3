import pytest

from hermes_core.ground.errors import ToolError
from hermes_core.tools.lines import View, decode, require_characters


def test_a_view_reads_as_a_model_saw_the_file() -> None:
    assert View(decode(b"a\r\nb\rc\xe9\n")).text == "a\nb\rc\ufffd\n"


def test_positions_lead_to_whole_line_ends() -> None:
    view = View("a\r\nb\r\n\r\nc")
    assert view.slice(0, 1) == (0, 1)
    assert view.slice(1, 2) == (1, 3)
    assert view.slice(2, 5) == (3, 8)
    assert view.slice(5, 6) == (8, 9)
    assert view.line_number(5) == 4


@pytest.mark.parametrize(
    ("original", "place", "new", "wanted"),
    [
        ("a\r\nb", (0, 3), "x\ny\nz", "x\r\ny\r\nz"),
        ("a\nb\r\n", (0, 3), "x\ny", "x\ny"),
        ("a\nb\r\nc", (0, 5), "a\nb\nb\nc", "a\nb\r\nb\r\nc"),
        ("a\nb\r\nc\n", (0, 6), "b\nc\nd\n", "b\r\nc\nd\n"),
        ("a", (0, 1), "x\ny", "x\ny"),
        ("a\r\n", (3, 3), "x\n", "x\r\n"),
    ],
)
def test_line_ends_are_those_of_the_lines_that_are_replaced(
    original: str, place: tuple[int, int], new: str, wanted: str
) -> None:
    view = View(original)
    end = min(place[1], len(view.text))
    assert view.rewrite(min(place[0], end), end, new) == wanted


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
def test_half_a_character_is_told(text: str) -> None:
    with pytest.raises(ToolError, match=f"U\\+{ord(text[-1]):04X}"):
        require_characters(text)


def test_whole_characters_pass() -> None:
    require_characters("a\0\U0001f600\ufffd")
