"""Where Markdown may be cut while it still comes in."""

from acp_server.cli.markdown import LONGEST, last_lines, split_finished, split_paragraphs


def test_only_blocks_that_cannot_change_are_finished() -> None:
    assert split_finished("# Title\n\nText\n\n```py\nx = 1\n\ny") == (
        ["# Title\n", "Text\n"],
        "```py\nx = 1\n\ny",
    )
    assert split_finished("- one\n\n- two") == ([], "- one\n\n- two")
    assert split_finished("one\ntwo") == ([], "one\ntwo")
    assert split_finished("") == ([], "")


def test_blocks_joined_again_are_the_text() -> None:
    text = "para\n\n- a\n  - b\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"
    blocks, rest = split_finished(text)
    assert "\n".join([*blocks, rest]) == text
    assert rest == "end"


def test_paragraphs_of_a_thought() -> None:
    assert split_paragraphs("one\ntwo\n\nthree") == (["one\ntwo"], "three")


def test_a_long_block_shows_its_end_with_its_fence() -> None:
    code = "```py\n" + "\n".join(str(n) for n in range(50))
    assert last_lines(code, 3) == "```py\n47\n48\n49"
    assert last_lines("a\nb", 3) == "a\nb"


def test_an_endless_block_is_cut() -> None:
    blocks, rest = split_finished("x" * 120_000)
    assert [len(block) for block in blocks] == [LONGEST, LONGEST]
    assert len(rest) == 20_000
    blocks, rest = split_finished("- line\n" * 10_000)
    assert all(block.endswith("\n") for block in blocks)
    assert "".join([*blocks, rest]) == "- line\n" * 10_000
    assert len(last_lines("x" * LONGEST, 10)) == 5000
