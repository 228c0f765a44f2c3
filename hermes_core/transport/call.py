"""One model call, as every HTTP carrier is given it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_core.ground.interrupt import Interrupt
from hermes_core.ground.runtime import Runtime
from hermes_core.transport.network import Network
from hermes_core.transport.sockets import Tap


@dataclass(frozen=True, slots=True)
class Call:
    """Who asks, where, with which headers, over what, and what ends it."""

    runtime: Runtime
    url: str
    headers: Sequence[tuple[str, str]]
    network: Network
    tap: Tap
    interrupt: Interrupt
