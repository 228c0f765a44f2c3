"""Running a program of ours, such as ripgrep or git, for the bytes that it writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_core.ground.interrupt import Interrupt
from hermes_core.local.pump import running

_MAX_STDERR = 65_536
_DRAIN = 0.25


@dataclass(frozen=True, slots=True)
class Captured:
    """What a program wrote; ``truncated`` and ``timed_out`` tell that it was stopped early.

    exit_code: None if it was stopped; negative if a signal ended it.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    truncated: bool
    timed_out: bool = False


def capture(
    argv: Sequence[str],
    cwd: Path,
    *,
    env: Mapping[str, str],
    timeout: float,
    max_bytes: int,
    interrupt: Interrupt,
) -> Captured:
    """Run ``argv`` without a shell, stdin at its end, and return what it wrote.

    It is stopped once it has written more than ``max_bytes`` to stdout, or after ``timeout``
    seconds. Raises ``Interrupted``, and ``ToolError`` if it cannot be started.
    """
    interrupt.raise_if_set()
    stdout, stderr = bytearray(), bytearray()
    with running(argv, cwd, env, interrupt, merge=False) as (child, pump):

        def take(data: bytes) -> None:
            stdout.extend(data[: max_bytes + 1 - len(stdout)])
            if len(stdout) > max_bytes:
                pump.halt()

        pump.add(child.process.stdout, take)
        pump.add(child.process.stderr, lambda data: _append(stderr, data, _MAX_STDERR))
        ending = pump.run(timeout)
        if ending == "exited":
            pump.drain(_DRAIN)
    if ending == "interrupted":
        interrupt.raise_if_set()
    return Captured(
        exit_code=child.process.returncode if ending == "exited" else None,
        stdout=bytes(stdout[:max_bytes]),
        stderr=bytes(stderr),
        truncated=len(stdout) > max_bytes,
        timed_out=ending == "timed_out",
    )


def _append(buffer: bytearray, data: bytes, limit: int) -> None:
    buffer.extend(data[: max(limit - len(buffer), 0)])
