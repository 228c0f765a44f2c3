"""Every slash command, typed well and badly: what an editor is told is what `hermes chat` shows."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from acp_server.cli import client as terminal_client
from acp_server.cli.main import main
from acp_server.cli.paper import PlainPaper
from acp_server.cli.printable import visible
from acp_server.cli.questions import NobodyAsker, TerminalFace
from acp_server.cli.transcript import Transcript
from acp_server.cli.turns import Turns
from hermes_core.commands.table import COMMANDS
from tests.e2e.client import FULL, AcpClient
from tests.e2e.stage import COMMAND, KEY, Stage
from tests.fakes.provider import say

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = "x" * 20_000
HUGE = "9" * 5_000
ODD = (
    "frobnicate",
    "frobnicate gribble",
    LONG,
    "word " * 3_000,
    "a\x00b\x1b[31mc\x07\td\re\x7f",
    "\"it's `so` \\",
    "naïve 日本語 🙂 \u202ertl",
    "0",
    "-1",
    "1.5",
    HUGE,
    "٣",
    "one\ntwo\n\nthree",
    "--frobnicate",
    "../../..",
)
"""What hardly any command takes: it has to say so, in short."""

BESIDES = {
    "queue": ("clear", "drop", "drop 0", f"drop {HUGE}", f"drop {LONG}", "run", "run x"),
    "approvals": ("list", "revoke", "revoke 0", "revoke x", f"revoke {HUGE}", "check"),
    "mode": ("plan", "Accept edits", "default"),
    "model": (
        "other",
        "a b",
        "list",
        f"list {LONG}",
        "--provider",
        "--provider nobody",
        f"--provider={LONG}",
    ),
    "provider": ("nobody",),
    "login": ("zai", "openrouter sk-canary-of-the-table"),
    "logout": ("zai", "nobody"),
    "fallback": (
        "list",
        "add",
        "add zai",
        "add nobody m",
        f"add {LONG} m",
        "add zai glm-5",
        "remove 0",
        f"remove {HUGE}",
        f"remove {LONG}",
        "remove 1",
        "clear x",
        "clear",
    ),
    "memory": (
        "add",
        "add --user",
        "add Tests run with make.",
        f"add {LONG}",
        "add a\x00b",
        "list",
        "forget",
        "forget 0",
        "forget x",
        f"forget {HUGE}",
        "forget 1",
    ),
    "mcp": ("restart", "restart nobody", f"restart {LONG}"),
    "tools": ("read_file", "`todo`"),
    "prompt": ("full", "full x"),
    "undo": ("1", "2"),
    "rewind": ("1", "#1"),
    "title": ("A title",),
}
"""What some take, or nearly: the first words are right."""

SENDS = ("steer", "init", "plan")
"""These send what is typed behind them to the model."""

WIDE = {"help", "tools", "prompt", "sessions", "approvals", "memory", "mode", "model"}
"""These may rightly answer at length to what is typed behind them."""

FAULTS = ("Traceback", "internal error", "Internal error", KEY, "sk-canary-of-the-table")
MODE = re.compile(r"(?:mode: \w+)?")
CLOSING = re.compile(r"(?:\S+ of \S+ tokens · )?\d+\.\d s")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Chat:
    """The terminal client without a terminal, on a program and a stage of its own."""

    def __init__(self, stage: Stage, written: list[str], transcript: Transcript) -> None:
        self.stage = stage
        self.client: terminal_client.AcpClient
        self._written = written
        self._transcript = transcript

    async def type(self, text: str, cwd: Path) -> str:
        """Return what is written while a prompt runs in a new session."""
        await self.client.new_session(cwd)
        before = len(self._written)
        await Turns(self.client, self._transcript, None, None).run(text)
        return "".join(self._written[before:])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chat() -> AsyncIterator[Chat]:
    stage, written = Stage(), list[str]()
    transcript = Transcript(PlainPaper(written.append), stage.folder)
    made = Chat(stage, written, transcript)
    made.client = await terminal_client.AcpClient.start(
        COMMAND,
        cwd=stage.folder,
        env=stage.environ,
        face=TerminalFace(transcript, NobodyAsker()),
    )
    await made.client.initialize("1")
    yield made
    await made.client.close()
    stage.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor() -> AsyncIterator[AcpClient]:
    client = AcpClient(capabilities={**FULL, "terminal": False, "session": {"notices": {}}})
    await client.start()
    await client.initialize()
    yield client
    await client.stop()


def arguments(name: str) -> Iterator[str]:
    yield ""
    if COMMANDS[name].hint:
        yield from (*ODD, *BESIDES.get(name, ()))
    else:
        yield from (ODD[0], LONG)


def pieces(updates: list[dict[str, Any]]) -> list[str]:
    """Return what the updates of one prompt say, a text for each answer and each notice."""
    said: list[str] = []
    answering = False
    for update in updates:
        kind = update["sessionUpdate"]
        if kind == "notice":
            said.append("\n".join(update[key] for key in ("title", "description") if key in update))
        elif kind == "agent_message_chunk":
            text = update["content"]["text"]
            said[-1:] = [said[-1] + text] if answering else [*said[-1:], text]
        answering = kind == "agent_message_chunk"
    return [piece.strip() for piece in said]


def plain(text: str, stage: Stage) -> str:
    """Return ``text`` without what is another on another stage or at another time."""
    for given, name in ((str(stage.folder), "STAGE"), (stage.provider.base_url, "PROVIDER")):
        text = text.replace(given, name)
    text = re.sub(r"workspace-\d+", "WORKSPACE", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", text)
    return re.sub(r"\b[0-9a-f]{8}\b", "ID", text)


def wrong(name: str, argument: str, said: list[str]) -> list[str]:
    """Return what is wrong with what a command said."""
    whole = "\n".join(said)
    found = [f"says {fault!r}" for fault in FAULTS if fault in whole]
    if not said or not all(said):
        found.append("says nothing")
    if CONTROL.search(whole):
        found.append("says what steers a terminal")
    at_length = not argument or name in WIDE or name == "login"
    if not at_length and (len(whole) > 400 or whole.count("\n") > 1):
        found.append(f"takes {len(whole)} characters in {whole.count(chr(10)) + 1} lines")
    if argument in ODD and name in WIDE and len(whole) > 1_000 and name != "sessions":
        found.append(f"takes {len(whole)} characters")
    return found


async def told(editor: AcpClient, chat: Chat, name: str, argument: str) -> list[str]:
    """Type a command on both sides; return what is wrong or differs."""
    typed = f"/{name} {argument}"
    sends = name in SENDS and (argument.strip() or name == "init")
    for stage in (editor.stage, chat.stage):
        stage.provider.script(*([say("Understood.")] if sends else []))
    session = await editor.new_session()
    assert await session.prompt(typed) == "end_turn", typed[:80]
    said = pieces(session.updates)
    shown = plain(await chat.type(typed, chat.stage.workspace()), chat.stage)
    found = wrong(name, argument, said)
    rest = shown
    for piece in said:
        before, piece_is_there, rest = rest.partition(plain(visible(piece), editor.stage))
        if not piece_is_there or not MODE.fullmatch(before.strip()):
            found.append(f"chat shows {shown[:300]!r}, the editor {piece[:300]!r}")
            break
    else:
        if not CLOSING.fullmatch(rest.strip()):
            found.append(f"chat shows more: {rest[:300]!r}")
    for stage in (editor.stage, chat.stage):
        if stage.provider.left or stage.provider.unexpected:
            found.append("the model was asked something else")
    if sends:
        sent = [s.provider.requests[-1].messages[-1]["content"] for s in (editor.stage, chat.stage)]
        if sent[0] != sent[1]:
            found.append("the model was sent two things")
    return [f"{typed[:60]!r}: {what}" for what in found]


@pytest.mark.parametrize("name", COMMANDS)
async def test_an_editor_is_told_what_the_terminal_shows(
    editor: AcpClient, chat: Chat, name: str
) -> None:
    found: list[str] = []
    for argument in arguments(name):
        found += await told(editor, chat, name, argument)
    assert found == []


SAME_VERBS = (
    ("/memory", ("memory", "list")),
    ("/memory add Same everywhere.", ("memory", "add", "Same", "everywhere.")),
    ("/memory forget 7", ("memory", "forget", "7")),
    ("/fallback", ("fallback", "list")),
    ("/fallback add nobody m", ("fallback", "add", "nobody", "m")),
    (f"/fallback remove {HUGE}", ("fallback", "remove", HUGE)),
    ("/fallback remove x", ("fallback", "remove", "x")),
    ("/fallback clear", ("fallback", "clear")),
    ("/approvals", ("approvals", "list")),
    ("/approvals revoke x", ("approvals", "revoke", "x")),
    (f"/approvals revoke {HUGE}", ("approvals", "revoke", HUGE)),
    ("/approvals check git status", ("approvals", "check", "git status")),
    (f"/approvals check {LONG}", ("approvals", "check", LONG)),
    ("/model list", ("model", "--list")),
    ("/prompt full", ("prompt", "--full")),
    ("/sessions -", ("sessions", "search", "-")),
    (f"/sessions {LONG}", ("sessions", "search", LONG)),
    ("/logout zai", ("auth", "logout", "zai")),
    ("/logout nobody", ("auth", "logout", "nobody")),
)


@pytest.mark.parametrize(("typed", "argv"), SAME_VERBS, ids=[typed[:30] for typed, _ in SAME_VERBS])
async def test_the_command_line_says_the_same(
    editor: AcpClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    argv: tuple[str, ...],
) -> None:
    stage = editor.stage
    session = await editor.new_session()
    await session.prompt(typed)
    said = words(session.text)
    if "add Same" in typed:
        (stage.home / "memories" / "MEMORY.md").unlink()
    for key, value in stage.environ.items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(session.cwd)
    main(argv)
    told = capsys.readouterr()
    shown = words(told.out + told.err)
    assert said
    assert shown.startswith(said), f"{shown[:400]}\n{said[:400]}"


@pytest.mark.parametrize("verb", ["doctor", "providers", "prompt", "model", "sessions"])
async def test_the_command_line_lists_the_same(
    editor: AcpClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
) -> None:
    session = await editor.new_session()
    editor.stage.provider.script(say("Hello."))
    await session.prompt("hi there")
    before = len(session.text)
    await session.prompt(f"/{verb}")
    rows = [row for row in session.text[before:].split("\n") if re.match(r"- |\| [^P]|`t", row)]
    for key, value in editor.stage.environ.items():
        monkeypatch.setenv(key, value)
    monkeypatch.chdir(session.cwd)
    assert main([verb, "list"] if verb == "sessions" else [verb]) == 0
    listed = set(re.findall(r"\w+", capsys.readouterr().out))
    assert rows
    for row in rows:
        assert set(re.findall(r"\w+", row.removesuffix("(this one)"))) <= listed, row


@pytest.mark.parametrize("argument", ["", "a.py", *ODD], ids=lambda typed: typed[:12])
async def test_prompts_of_the_users_own_come_to_the_same(
    editor: AcpClient, chat: Chat, argument: str
) -> None:
    for stage in (editor.stage, chat.stage):
        (stage.home / "commands").mkdir(exist_ok=True)
        (stage.home / "commands" / "look.md").write_text("Look at $1, that is: $ARGUMENTS.")
        stage.provider.script(say("Fine."))
    session = await editor.new_session()
    assert await session.prompt(f"/look {argument}") == "end_turn"
    shown = await chat.type(f"/look {argument}", chat.stage.workspace())
    assert shown.strip().startswith("Fine.")
    sent = [s.provider.requests[-1].messages[-1]["content"] for s in (editor.stage, chat.stage)]
    assert sent[0] == sent[1]
    assert sent[0].startswith("Look at ")
    assert sent[0].endswith(f", that is: {argument.strip()}.")


def words(text: str) -> str:
    """Return the words of an answer, whatever they are set in."""
    return " ".join(re.sub(r"`+|\*\*|^- ", "", text).split())


@pytest.mark.parametrize(
    "typed", ["/mode frobnicate", f"/undo {HUGE}", "/login", "/memory add", "/queue"]
)
async def test_the_program_itself_says_it_through_a_pipe(
    editor: AcpClient, stage: Stage, typed: str
) -> None:
    session = await editor.new_session()
    await session.prompt(typed)
    done = subprocess.run(
        [sys.executable, "-m", "acp_server.cli.main", "chat"],
        input=typed,
        cwd=stage.workspace(),
        env=stage.environ,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (piece,) = pieces(session.updates)
    assert CLOSING.fullmatch(done.stdout.removeprefix(f"{piece}\n").strip())


async def test_every_command_that_was_promised_is_there() -> None:
    promised = (
        "help, model, provider, fallback, mode, plan, steer, queue, compress, context, usage, "
        "memory, skills, tools, approvals, undo, rewind, resume, sessions, title, init, new, stop, "
        "retry, diff, doctor, login, logout"
    )
    assert set(promised.split(", ")) <= set(COMMANDS)
    for command in COMMANDS.values():
        assert command.description
