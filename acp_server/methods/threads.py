"""Work of the core for a handler: on a thread, its errors as answers of the protocol."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from acp_server.mapping import failure_of
from hermes_core.ground.errors import HermesError

_T = TypeVar("_T")


async def in_thread(function: Callable[..., _T], *arguments: Any) -> _T:
    """Return what ``function`` returns; an error of the core becomes an ``RpcError``."""
    return await asyncio.to_thread(checked, function, *arguments)


def checked(function: Callable[..., _T], *arguments: Any) -> _T:
    """Call ``function`` here; an error of the core becomes an ``RpcError``."""
    try:
        return function(*arguments)
    except HermesError as error:
        raise failure_of(error) from error
