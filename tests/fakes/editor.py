"""An editor's side of the file methods, and the least of a disk."""

import concurrent.futures
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_server.client_files import ClientFiles
from acp_server.rpc.errors import RESOURCE_NOT_FOUND, RpcError
from hermes_core.ground.errors import ToolError
from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.ports import Written


class Disk:
    """The least that ``ports.Files`` asks for."""

    def read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise ToolError(f"{path} cannot be read") from error

    def write(self, path: Path, data: bytes) -> Written:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return Written("disk")

    def commands_ran(self, started_ns: int) -> None: ...


class Editor:
    """A client with buffers. ``on_save`` turns the text of a write into the file's bytes."""

    def __init__(self) -> None:
        self.buffers: dict[str, str] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.error: RpcError | None = None
        self.read_error: RpcError | None = None
        self.silent = False
        self.on_save: Callable[[str], bytes] | None = str.encode

    def ask(
        self, method: str, params: dict[str, Any], *, timeout: float | None
    ) -> "concurrent.futures.Future[Any]":
        assert timeout
        self.asked.append((method, params))
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        if not self.silent:
            self._answer(method, params, future)
        return future

    def _answer(
        self, method: str, params: dict[str, Any], future: "concurrent.futures.Future[Any]"
    ) -> None:
        path = Path(params["path"])
        error = self.error or (self.read_error if method == "fs/read_text_file" else None)
        if error is not None:
            future.set_exception(error)
        elif method == "fs/write_text_file":
            self.buffers[params["path"]] = params["content"]
            if self.on_save is not None:
                path.write_bytes(self.on_save(params["content"]))
            future.set_result({})
        elif params["path"] in self.buffers:
            future.set_result({"content": self.buffers[params["path"]]})
        elif path.is_file():
            future.set_result({"content": path.read_bytes().decode()})
        else:
            future.set_exception(RpcError(RESOURCE_NOT_FOUND, "not found"))


def client_files(editor: Editor, latch: Interrupt, *roots: Path, **caps: bool) -> ClientFiles:
    """Return ``ClientFiles`` over ``editor``; ``reads=False`` and ``writes=False`` as wanted."""
    return ClientFiles(
        editor.ask,
        "s1",
        reads=caps.get("reads", True),
        writes=caps.get("writes", True),
        roots=roots,
        local=Disk(),
        interrupt=lambda: latch,
    )
