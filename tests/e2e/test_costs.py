"""What a session has cost, as the editor is told, also after the program was started anew."""

from collections.abc import Callable
from typing import Any

import pytest

from hermes_core.ground.events import UsageUpdated
from hermes_core.ground.events_json import to_json
from hermes_core.sessions.store import FILE_NAME, Store
from tests.e2e.stage import Stage
from tests.fakes.provider import say

pytestmark = pytest.mark.asyncio


def costs(session: Any) -> list[Any]:
    return [update.get("cost") for update in session.of_kind("usage_update")]


async def test_a_price_that_is_not_known_is_no_figure(
    stage: Stage, running: Callable[..., Any]
) -> None:
    cwd = stage.workspace()
    stage.provider.script(say("one"), say("two"))
    async with running(stage) as client:
        session = await client.new_session(cwd)
        await session.prompt("hi")
        assert costs(session) == [None]
    store = Store(stage.home / FILE_NAME)
    store.append_shown(session.id, to_json(UsageUpdated(10, 100, 0.25)))
    store.close()
    async with running(stage) as client:
        again = await client.load_session(session.id, cwd)
        assert costs(again) == [None, {"amount": 0.25, "currency": "USD"}]
        await again.prompt("again")
        assert costs(again)[-1] is None
