"""``make bench``: what Hermes costs, beside a bare reference measured in the same run.

Every row gives our figure, the reference's and their ratio or difference. Figures of different
machines do not compare; ratios do.
"""

import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.client import Client

STARTS = 7
WARM = 30
CHUNKS = 5_000
PACED = 1_000
ROUNDS = 100
CANCELS = 9
CANCELLED = {
    "a model call": ("hang", b'"agent_message_chunk"', False),
    "a question": ("sleep", b'"session/request_permission"', False),
    "a command": ("sleep", b"begun\\n", True),
}
"""What is cancelled: the prompt, what the line has that it is cancelled at, and the permission."""
MEMORY_DISK = Path("/dev/shm")
"""A disk without a sync to wait for, where there is one."""


@contextmanager
def provider() -> Iterator[str]:
    """Run the canned provider in its own process; yield its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.provider"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


@contextmanager
def client(folder: Path) -> Iterator[Client]:
    """Start a server on the home in ``folder`` and have it initialized."""
    server = Client(folder / "home")
    try:
        server.initialize()
        yield server
    finally:
        server.close()


def median(measure: Callable[[], float], times: int) -> float:
    """Return the median of ``times`` measurements."""
    return statistics.median(measure() for _ in range(times))


def bare(port: str, order: str, repeat: int = 1) -> dict[str, Any]:
    """Run the bare reference and return what it measured."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bare", port, order, str(repeat)],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def python(code: str) -> float:
    """Return the seconds that a fresh interpreter takes to run ``code``."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def synced_write(folder: Path) -> float:
    """Return the median seconds of one committed row on the disk of ``folder``."""
    path = folder / "sync.db"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode=wal")
    db.execute("pragma synchronous=full")
    db.execute("create table rows (body text)")

    def write() -> float:
        started = time.perf_counter()
        db.execute("insert into rows values ('x')")
        return time.perf_counter() - started

    result = median(write, 50)
    db.close()
    return result


def row(name: str, ours: str, reference: str, verdict: str) -> None:
    """Print one line of the table."""
    print(f"{name:<38} {ours:>12}   {reference:<34} {verdict}")


def initialize(folder: Path) -> None:
    """Start to the answer of ``initialize``, beside importing pygls."""

    def ours() -> float:
        server = Client(folder / "home")
        server.initialize()
        seconds = time.perf_counter() - server.started
        server.close()
        return seconds

    pairs = [(ours(), python("import pygls.server")) for _ in range(STARTS)]
    mine = statistics.median(a for a, _ in pairs)
    theirs = statistics.median(b for _, b in pairs)
    row(
        "start to initialize answered",
        ms(mine),
        f"import pygls.server {ms(theirs)}",
        ratio(mine, theirs),
    )


def first_token(folder: Path) -> None:
    """Start to the first token of a fresh session, beside importing what it must import."""

    def ours() -> float:
        server = Client(folder / "home")
        server.initialize()
        server.prompt(server.open(folder / "repository"), "hello")
        seconds = server.first_chunk - server.started
        server.close()
        return seconds

    imports = "import pygls.server, httpx, yaml, sqlite3"
    pairs = [(ours(), python(imports)) for _ in range(STARTS)]
    mine = statistics.median(a for a, _ in pairs)
    theirs = statistics.median(b for _, b in pairs)
    row("start to first token", ms(mine), f"importing the same {ms(theirs)}", ratio(mine, theirs))


def warm_first_token(server: Client, session: str, port: str) -> None:
    """Latency that a warm session adds to the first token."""

    def ours() -> float:
        started = time.perf_counter()
        server.prompt(session, "hello")
        return server.first_chunk - started

    for _ in range(5):
        ours()
    mine = median(ours, WARM)
    theirs = statistics.median(bare(port, "hello", WARM)["firsts"][5:])
    row("first token, warm", ms(mine), f"bare httpx stream {ms(theirs)}", f"+{ms(mine - theirs)}")


def chunks(server: Client, session: str, port: str, order: str, count: int) -> None:
    """CPU of one streamed chunk."""
    server.prompt(session, f"{order} 100")
    before = server.cpu()
    server.prompt(session, f"{order} {count}")
    mine = (server.cpu() - before) / count
    theirs = bare(port, f"{order} {count}")["cpu"] / count
    row(
        f"CPU of a chunk, {order}",
        us(mine),
        f"bare httpx stream {us(theirs)}",
        f"{ratio(mine, theirs)}  ({server.chunks} lines for {count} chunks)",
    )


def rounds(folder: Path, port: str, place: str) -> None:
    """Time of one tool round, with the home and the repository in ``folder``."""
    with client(folder) as server:
        session = server.open(folder / "repository")
        server.prompt(session, "rounds 5")
        started = time.perf_counter()
        server.prompt(session, f"rounds {ROUNDS}")
        mine = (time.perf_counter() - started) / ROUNDS
    theirs = bare(port, f"rounds {ROUNDS}")["wall"] / ROUNDS
    row(
        f"a tool round, {place}",
        ms(mine),
        f"bare requests {ms(theirs)}, a sync {ms(synced_write(folder))}",
        f"+{ms(mine - theirs)}",
    )


def cancels(server: Client, session: str) -> None:
    """From a cancel to the answer of the prompt."""
    for name, (order, mark, allow) in CANCELLED.items():
        times = [server.cancel(session, order, mark, allow=allow) for _ in range(CANCELS)]
        verdict = f"median {ms(statistics.median(times))}"
        row(f"cancel of {name}, longest", ms(max(times)), "promised 100.0 ms", verdict)


def memory(server: Client) -> None:
    """Resident memory after the session."""
    code = (
        "import os, pygls.server, httpx, yaml, sqlite3;"
        "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('VmRSS')][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    theirs = int(done.stdout) * 1024 / 1e6
    mine = server.memory()
    row(
        "memory after a session",
        f"{mine:.0f} MB",
        f"its imports {theirs:.0f} MB",
        ratio(mine, theirs),
    )


def ms(seconds: float) -> str:
    """Return ``seconds`` as milliseconds."""
    return f"{seconds * 1e3:.1f} ms"


def us(seconds: float) -> str:
    """Return ``seconds`` as microseconds."""
    return f"{seconds * 1e6:.0f} µs"


def ratio(ours: float, reference: float) -> str:
    """Return how many times the reference ours is."""
    return f"{ours / reference:.2f} x"


def lay_out(folder: Path, port: str) -> None:
    """Make a home that knows the provider, and a repository."""
    (folder / "home").mkdir()
    (folder / "repository").mkdir()
    (folder / "repository" / "README.md").write_text(
        "# A repository\n\nFor measurements.\n" + "".join(f"Line {n}.\n" for n in range(ROUNDS))
    )
    (folder / "home" / "config.yaml").write_text(
        f"model:\n  provider: custom\n  default: bench\n  base_url: http://127.0.0.1:{port}/v1\n"
    )


def main() -> None:
    """Measure everything once."""
    with provider() as port, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(folder, port)
        initialize(folder)
        first_token(folder)
        with client(folder) as server:
            session = server.open(folder / "repository")
            warm_first_token(server, session, port)
            chunks(server, session, port, "burst", CHUNKS)
            chunks(server, session, port, "paced", PACED)
            memory(server)
            cancels(server, session)
        rounds(folder, port, "synced disk")
        if MEMORY_DISK.is_dir():
            with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as elsewhere:
                lay_out(Path(elsewhere), port)
                rounds(Path(elsewhere), port, "memory disk")


if __name__ == "__main__":
    main()
