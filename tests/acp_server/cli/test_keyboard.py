"""Keys while a turn runs: what answers, what is kept, what is neither."""

import asyncio
import os
import pty
import tty
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from acp_server.cli.keyboard import END, ENTER, NO_KEY, PAUSE, Keyboard, text_of
from acp_server.cli.line import PASTE, PASTED


class Desk:
    """A terminal, the keyboard that reads it, and a clock that stands still."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        tty.setraw(self.theirs)
        self.now = 100.0
        self.keyboard = Keyboard(self.theirs, lambda: self.now)

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    async def typed(self, length: int) -> None:
        """Wait until so much text is kept."""
        async with asyncio.timeout(30):
            while len(self.keyboard.line.text) < length:
                self.keyboard._news.clear()
                await self.keyboard._news.wait()

    def close(self) -> None:
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.close()


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("next task\n", "next task"),
        ("a\rb", "a\nb"),
        ("wordx\x7f", "word"),
        ("one\ntwo\x15three", "one\nthree"),
        ("\x1b[A\x1b[200~pasted\x1b[201~\x1bOP", "pasted"),
        ("\x01\x04é\x1b", "é"),
        ("\x7f", ""),
    ],
)
def test_the_text_that_keys_come_to(keys: str, text: str) -> None:
    assert text_of(keys) == text


async def test_what_is_typed_is_kept_however_long(desk: Desk) -> None:
    line = "x" * 1000 + "\n"
    with desk.keyboard.listening():
        for number in range(1, 21):
            desk.press(line)
            await desk.typed(number * len(line))
    assert desk.keyboard.take_typed() == (line * 20).strip()
    assert desk.keyboard.take_typed() == ""


async def test_keys_before_a_question_do_not_answer_it(desk: Desk) -> None:
    with desk.keyboard.listening():
        desk.press("y")
        await desk.typed(1)
        desk.now += PAUSE
        with desk.keyboard.answering():
            desk.press("n")
            assert await desk.keyboard.read_key() == "n"
    assert desk.keyboard.take_typed() == "y"


async def test_text_that_goes_on_when_a_question_comes_up_does_not_answer_it(desk: Desk) -> None:
    with desk.keyboard.listening():
        desk.press("wh")
        await desk.typed(2)
        with desk.keyboard.answering():
            for number, key in enumerate("y not", 3):
                desk.now += PAUSE / 2
                desk.press(key)
                await desk.typed(number)
            assert not desk.keyboard._keys
            desk.now += PAUSE
            desk.press("\n")
            assert await desk.keyboard.read_key() == ENTER
    assert desk.keyboard.take_typed() == "why not"


async def test_a_paste_at_a_question_is_no_key_and_is_kept(desk: Desk) -> None:
    with desk.keyboard.listening(), desk.keyboard.answering():
        desk.press("yes please")
        assert await desk.keyboard.read_key() == NO_KEY
        desk.press("\x1b[A")
        assert await desk.keyboard.read_key() == NO_KEY
    assert desk.keyboard.take_typed() == "yes please"


async def test_the_end_of_input_ends_questions() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    keyboard = Keyboard(reading)
    with keyboard.listening(), keyboard.answering():
        assert await keyboard.read_key() == END
    os.close(reading)


async def test_lines_are_handed_on_as_they_end(desk: Desk) -> None:
    sent: list[str] = []
    shown: list[str] = []

    def take(line: str) -> bool:
        sent.append(line)
        return line != "/quit"

    with desk.keyboard.listening(take, lambda: shown.append(desk.keyboard.line.text)):
        desk.press("next\r")
        await reading(desk, lambda: len(sent) == 1)
        desk.press("/quit\r")
        await reading(desk, lambda: len(sent) == 2)
    assert sent == ["next", "/quit"]
    assert shown[-2:] == ["", "/quit"]
    assert desk.keyboard.take_typed() == "/quit"


async def test_a_line_is_still_being_typed_right_after_it_was_sent(desk: Desk) -> None:
    with desk.keyboard.listening(lambda _: True):
        desk.press("next\r")
        await reading(desk, lambda: desk.keyboard._typed_at == desk.now)
        with desk.keyboard.answering():
            desk.press("y")
            await desk.typed(1)
            desk.now += PAUSE
            desk.press("n")
            assert await desk.keyboard.read_key() == "n"
    assert desk.keyboard.take_typed() == "y"


async def test_no_part_of_a_marked_paste_answers_a_question(desk: Desk) -> None:
    fed: list[str] = []
    show = partial(fed.append, "")

    async def pressed(piece: str, count: int) -> None:
        desk.press(piece)
        await reading(desk, lambda: len(fed) == count)
        desk.now += PAUSE

    with desk.keyboard.listening(lambda _: True, show), desk.keyboard.answering():
        await pressed(f"{PASTE}a", 1)
        await pressed("y", 2)
        await pressed(f"n{PASTED}", 3)
        desk.press("n")
        assert await desk.keyboard.read_key() == "n"
    assert desk.keyboard.take_typed() == "ayn"


async def reading(desk: Desk, ready: Callable[[], bool]) -> None:
    """Wait until what was pressed is read."""
    async with asyncio.timeout(30):
        while not ready():
            desk.keyboard._news.clear()
            await desk.keyboard._news.wait()
