"""Small requests on a thread of their own: nothing that they wait for can hold their caller up."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from hermes_core.ground.interrupt import Interrupt

if TYPE_CHECKING:
    from hermes_core.transport.sockets import Tap

Found = TypeVar("Found")


class OutOfTime(Exception):
    """The time was over before there was an answer."""


def run_apart(
    work: "Callable[[Tap], Found]", interrupt: Interrupt, timeout: float, name: str
) -> Found:
    """Return what ``work`` returns, or raise what it raises, within ``timeout`` seconds.

    The sockets that it uses are held by the tap it is given, and shut down at the end. ``name`` is
    that of the thread. Raises ``Interrupted`` within moments of the interrupt, and ``OutOfTime``.
    """
    from hermes_core.transport.sockets import Tap, using

    interrupt.raise_if_set()
    tap, done = Tap(), threading.Event()
    found: list[Found] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with using(tap):
                found.append(work(tap))
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    forget = interrupt.listen(done.set)
    try:
        threading.Thread(target=run, name=name, daemon=True).start()
        in_time = done.wait(timeout)
        interrupt.raise_if_set()
    finally:
        forget()
        tap.cut()
    if in_time and failed:
        raise failed[0]
    if in_time and found:
        return found[0]
    raise OutOfTime
