import asyncio
import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_server.rpc.reader import Inbox, Line, LineSplitter, Mark, start_reader
from tests.acp_server.rpc.harness import WATCHDOG


def split(chunks: list[bytes], cap: int = 100) -> list[Line]:
    splitter = LineSplitter(cap)
    return [line for chunk in chunks for line in splitter.feed(chunk)]


def test_lines_are_cut_on_bytes() -> None:
    whole = '{"a":"é😀"}\n{"b":1}\n\n'.encode()
    expected = ['{"a":"é😀"}'.encode(), b'{"b":1}', b""]
    assert split([whole]) == expected
    assert split([bytes([byte]) for byte in whole]) == expected


@settings(deadline=None)
@given(st.lists(st.text("ab\n", max_size=8).map(str.encode)))
def test_lines_do_not_depend_on_how_they_come(chunks: list[bytes]) -> None:
    assert split(chunks) == b"".join(chunks).split(b"\n")[:-1]


def test_an_unfinished_line_waits() -> None:
    assert split([b"abc"]) == []


def test_a_line_of_just_the_cap_passes() -> None:
    assert split([b"x" * 60, b"x" * 40, b"\n"]) == [b"x" * 100]


@pytest.mark.parametrize("chunks", [[b"x" * 101 + b"\nok\n"], [b"x" * 60] * 9 + [b"\nok\n"]])
def test_a_longer_line_is_dropped_up_to_its_newline(chunks: list[bytes]) -> None:
    assert split(chunks) == [Mark.OVERSIZED, b"ok"]


def test_one_line_is_handled_in_each_pass_of_the_loop() -> None:
    seen: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()

        async def work(name: str) -> None:
            seen.append(f"begun {name}")
            await asyncio.sleep(0)

        tasks = []

        def handle(line: Line) -> None:
            if isinstance(line, bytearray):
                seen.append(f"line {line.decode()}")
                tasks.append(loop.create_task(work(line.decode())))
            else:
                done.set()

        inbox = Inbox(loop, handle)
        for line in (bytearray(b"1"), bytearray(b"2"), Mark.END):
            assert inbox.put(line)
        await asyncio.wait_for(done.wait(), WATCHDOG)
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert seen == ["line 1", "begun 1", "line 2", "begun 2"]


def test_a_failing_handler_does_not_stop_the_lines() -> None:
    seen: list[Line] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        errors: list[object] = []
        loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
        done = asyncio.Event()

        def handle(line: Line) -> None:
            seen.append(line)
            if line is Mark.END:
                done.set()
            raise RuntimeError("broken")

        inbox = Inbox(loop, handle)
        inbox.put(bytearray(b"1"))
        inbox.put(Mark.END)
        await asyncio.wait_for(done.wait(), WATCHDOG)
        assert len(errors) >= 1

    asyncio.run(main())
    assert seen == [b"1", Mark.END]


def test_the_reader_stops_reading_while_too_much_waits() -> None:
    async def main() -> None:
        inbox = Inbox(asyncio.get_running_loop(), lambda _: None, bound=1_000)
        results: list[bool] = []
        thread = threading.Thread(
            target=lambda: results.extend([inbox.put(bytearray(600)) for _ in range(3)])
        )
        thread.start()
        thread.join(0.2)  # nothing is taken out: this holds up the loop
        assert thread.is_alive()
        inbox.close()
        thread.join(WATCHDOG)
        assert results == [True, True, False]

    asyncio.run(main())


def test_the_end_of_the_stream_drops_half_a_line() -> None:
    seen: list[Line] = []

    async def main() -> None:
        done = asyncio.Event()

        def handle(line: Line) -> None:
            seen.append(line)
            if line is Mark.END:
                done.set()

        read_fd, write_fd = os.pipe()
        start_reader(read_fd, Inbox(asyncio.get_running_loop(), handle))
        os.write(write_fd, b"whole\nhal")
        os.close(write_fd)
        await asyncio.wait_for(done.wait(), WATCHDOG)
        os.close(read_fd)

    asyncio.run(main())
    assert seen == [b"whole", Mark.END]


def test_a_stream_that_does_not_block_is_waited_for() -> None:
    seen: list[Line] = []

    async def main() -> None:
        done = asyncio.Event()

        def handle(line: Line) -> None:
            seen.append(line)
            done.set()

        read_fd, write_fd = os.pipe()
        os.set_blocking(read_fd, False)
        start_reader(read_fd, Inbox(asyncio.get_running_loop(), handle))
        os.write(write_fd, b"line\n")
        await asyncio.wait_for(done.wait(), WATCHDOG)
        os.close(write_fd)

    asyncio.run(main())
    assert seen[0] == b"line"
