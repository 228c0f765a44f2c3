"""What a command can find of our keys: in processes, in our home, with the sandbox and without."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core.local.sandbox import SANDBOX
from tests.e2e.editor import ALLOW
from tests.e2e.stage import KEY, Stage
from tests.fakes.canaries import canary
from tests.fakes.provider import Call, calls, say
from tests.hermes_core.local.walls import need

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
]

EXPORTED = {
    "OPENAI_API_KEY": canary("OPENAI_API_KEY"),
    "GH_TOKEN": canary("GH_TOKEN"),
    "DATABASE_URL": f"postgres://me:{canary('db')}@host/db",
    "AWS_SECRET_ACCESS_KEY": canary("aws"),
}
LOOK_IN_PROCESSES = (
    "env > '{out}'/own; cat /proc/$PPID/environ > '{out}'/parent 2>/dev/null; "
    "cat /proc/[0-9]*/environ > '{out}'/all 2>/dev/null; "
    "ls -d /proc/[0-9]* > '{out}'/seen; ulimit -c > '{out}'/core; echo looked"
)
LOOK_AT_HOME = (
    "cat '{home}'/.env '{home}'/auth.json '{home}'/* > '{out}'/home 2>/dev/null; echo looked"
)


async def look(
    stage: Stage, running: Callable[..., Any], command: str, mode: str
) -> dict[str, str]:
    """Run an approved command that searches, and return the files that it wrote.

    Into files, since what the tool shows is redacted.
    """
    out = stage.folder / "found"
    out.mkdir()
    stage.configure(sandbox={"mode": mode})
    (stage.home / ".env").write_text(f"MINIMAX_API_KEY={canary('MINIMAX_API_KEY')}\n")
    (stage.home / "auth.json").write_text('{"note": "' + canary("login") + '"}')
    for name in (".env", "auth.json"):
        (stage.home / name).chmod(0o600)
    text = command.format(out=out, home=stage.home)
    stage.provider.script(calls(Call("terminal", {"command": text})), say("Seen."))
    async with running(stage) as client:
        client.editor.decide = lambda _: ALLOW
        session = await client.new_session()
        assert await session.prompt("look") == "end_turn"
        assert "looked" in str(session.card)
    return {path.name: path.read_bytes().decode(errors="replace") for path in out.iterdir()}


@pytest.fixture
def exporting(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage whose program is started with keys in its environment."""
    whole = {**stage.environ, **EXPORTED}
    monkeypatch.setattr(type(stage), "environ", property(lambda _: whole))
    return stage


@pytest.mark.parametrize("mode", ["auto", "off"])
async def test_no_process_of_ours_shows_a_key(
    exporting: Stage, running: Callable[..., Any], mode: str
) -> None:
    found = await look(exporting, running, LOOK_IN_PROCESSES, mode)
    assert found["core"] == "0\n"
    assert "cnry." not in found["own"]
    assert "cnry." not in found["parent"]
    if mode == "auto" and SANDBOX.walls().approved:
        assert len(found["seen"].split()) < 12
        assert "cnry." not in found["all"]


async def test_the_files_of_our_home_show_none_in_the_sandbox(
    exporting: Stage, running: Callable[..., Any]
) -> None:
    need(SANDBOX.walls().approved is not None, "; ".join(SANDBOX.walls().reasons))
    found = await look(exporting, running, LOOK_AT_HOME, "auto")
    assert "cnry." not in found["home"]
    assert KEY not in found["home"]


async def test_without_it_they_do(exporting: Stage, running: Callable[..., Any]) -> None:
    """What the sandbox is for."""
    found = await look(exporting, running, LOOK_AT_HOME, "off")
    assert canary("login") in found["home"]
