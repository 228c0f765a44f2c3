"""An editor's own terminals: programs that really run, as the agent asks for them."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Literal

from tests.fakes.canaries import canary

KEY = canary("editor")
"""Stands in the environment of every terminal, as an editor's own might."""

Answer = Callable[[dict[str, Any]], Awaitable[Any]]


class Terminal:
    """One that runs, ran, or was killed."""

    def __init__(self, process: asyncio.subprocess.Process, limit: int | None) -> None:
        self.process = process
        self.killed = False
        self.released = False
        self._limit = limit
        self._output = b""
        self._truncated = False
        self._more = asyncio.Event()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def wait(self) -> dict[str, Any]:
        """Wait until the program has ended, and all that holds its output open."""
        await asyncio.shield(self._reading)  # a withdrawn request ends no terminal
        code = await self.process.wait()
        return {"exitCode": code} if code >= 0 else {"signal": signal.Signals(-code).name}

    async def wait_for(self, text: str) -> None:
        """Wait until the output holds ``text``."""
        while text not in self._output.decode(errors="ignore"):
            await self._more.wait()
            self._more.clear()

    def output(self) -> dict[str, Any]:
        """Return what there is."""
        text = self._output.decode(errors="ignore")
        return {"output": text, "truncated": self._truncated}

    def kill(self) -> None:
        """End the program with all that is in its group."""
        self.killed = True
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(1 << 16):
            self._output += data
            self._more.set()
            if self._limit is not None and len(self._output) > self._limit:
                self._truncated = True
                self._output = self._output[-self._limit :]


class Terminals:
    """Answers ``terminal/*``.

    form: how a program is started: from its words, or from a line for a shell that they are put
    together to. twists: what answers a method in the place of this; by the last part of its name.
    """

    def __init__(self, form: Literal["words", "line"] = "words") -> None:
        self.form = form
        self.twists: dict[str, Answer] = {}
        self.all: dict[str, Terminal] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def methods(self) -> list[str]:
        """The last parts of the methods that were asked, in order."""
        return [name for name, _ in self.asked]

    @property
    def only(self) -> Terminal:
        """The only terminal."""
        (one,) = self.all.values()
        return one

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        """Answer a request."""
        name = method.removeprefix("terminal/")
        self.asked.append((name, params))
        if name in self.twists:
            return await self.twists[name](params)
        if name == "create":
            return await self.create(params)
        terminal = self.all[params["terminalId"]]
        assert not terminal.released, f"{name} of a terminal that was given back"
        if name == "wait_for_exit":
            return await terminal.wait()
        if name == "output":
            return terminal.output()
        if name == "release":
            terminal.released = True
        terminal.kill()
        return {}

    async def create(self, params: dict[str, Any]) -> dict[str, Any]:
        """Start a program."""
        words = [params["command"], *params.get("args", [])]
        if self.form == "line":
            words = ["/bin/sh", "-c", " ".join(words)]
        environ = {"PATH": os.environ["PATH"], "EDITOR_API_KEY": KEY, "BASH_ENV": "/nowhere"}
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=params["cwd"],
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        name = f"terminal-{len(self.all) + 1}"
        self.all[name] = Terminal(process, params.get("outputByteLimit"))
        return {"terminalId": name}
