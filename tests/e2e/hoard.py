"""A home full of keys, stand-ins for their owners, and the search for where the keys went.

Every provider's variables hold a key in ``.env`` and another one in the environment; ``auth.json``
holds a login and a pasted key for each. All stand-ins repeat what they are sent.
"""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.client import AcpClient
from tests.e2e.stage import COMMAND, Stage
from tests.fakes.canaries import canary, forms_of, may_hold_key
from tests.fakes.logins import LoginService
from tests.fakes.provider import FakeProvider, Recorded
from tests.fakes.replies import Call, Chunk, Reasoning, Reply, Text
from tests.hermes_core.providers.facts import facts

FACTS = {fact["id"]: fact for fact in facts()}
BOUND = {"openrouter", "ai-gateway", "openai-api", "openai-codex", "copilot", "ollama-cloud"}
"""Providers whose keys go to no address but their own, whatever ``.env`` says."""

OTHERS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "LAB_KEY", "MOVED_KEY", "DATABASE_PASSWORD")
ENTRIES = ("lab", "moved", "parrot", "drip", "mine")
VARIABLES = sorted({name for fact in facts() for name in fact["key_variables"]} | {*OTHERS})
MAY_HOLD_KEYS = {".env", "config.yaml", "auth.json", "auth.json.orig"}

Shape = Any
SHAPES: dict[str, Shape] = {
    "an error": lambda said: Reply(status=400, body={"error": {"message": said, "code": said}}),
    "a refusal": lambda said: Reply(status=401, body={"error": said}),
    "a limit": lambda said: Reply(
        status=429, headers={"retry-after": "3600", "x-request-id": said}, body={"message": said}
    ),
    "a failure as a page": lambda said: Reply(status=503, body=f"<html><p>{said}</p></html>"),
    "a redirect": lambda said: Reply(status=307, headers={"location": f"http://[{said}"}),
    "no answer": lambda said: Reply(body=said),
    "an error in the stream": lambda said: Reply(
        [Text("so "), Chunk({"error": {"message": said, "code": 400}})], bare=True
    ),
}


def said_to(request: Recorded) -> str:
    """Return the values of all headers, of which one is the key."""
    return " ".join(value for name, value in request.headers.items() if name != "content-length")


def in_pieces(kind: Any, text: str, size: int) -> list[Any]:
    """Return ``text`` as steps of a stream."""
    return [kind(text[start : start + size]) for start in range(0, len(text), size)]


class Echo:
    """Asks for ``command``, then repeats the headers that came with its result; and so on."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._turns = 0

    def __call__(self, request: Recorded) -> Reply:
        said = said_to(request)
        if request.method == "GET":
            return Reply(body={"data": [{"id": "one", "name": said}, {"id": "two"}]})
        self._turns += 1
        if self._turns % 2:
            return Reply([Call("terminal", {"command": self.command}, id=f"call-{id(self):x}")])
        thought = in_pieces(Reasoning, f"I was sent {said}, I think.", 3)
        return Reply([*thought, *in_pieces(Text, f"I was sent {said}.", 5)])


class Service(LoginService):
    """A login service that is a model provider as well, and takes only what it has renewed."""

    def _answer(self, request: Recorded) -> Reply:
        if not request.path.endswith("/chat/completions"):
            return super()._answer(request)
        said = said_to(request)
        if canary("mine", "renewed") not in said:
            return Reply(status=401, body={"error": {"message": f"ended: {said}"}})
        return Reply(in_pieces(Text, f"Renewed: {said}", 4))

    def tokens(self) -> dict[str, Any]:
        """Give out the next tokens, which are canaries too."""
        access, refresh = canary("mine", "renewed"), canary("mine", "next refresh")
        return {"access_token": access, "refresh_token": refresh, "expires_in": 3600}


PLUGIN = """
from hermes_core.providers import ProviderProfile, register_provider

register_provider(ProviderProfile("mine", "Mine", base_url={url!r}, auth_kind="oauth"))
"""


class Hoard:
    """The stage with its home filled; ``servers`` are the stand-ins by provider or entry."""

    def __init__(self, stage: Stage, opened: ExitStack) -> None:
        self.stage = stage
        self.taken = stage.folder / "taken"
        self.taken.mkdir()
        self.servers: dict[str, FakeProvider] = {}
        self.service = opened.enter_context(Service(["mine"]))
        self.nobody = opened.enter_context(FakeProvider(Echo("true")))
        for name in (*FACTS, *ENTRIES):
            owners = {name, *FACTS.get(name, {}).get("key_variables", ())}
            owners |= {f"{name.upper()}_KEY"} if name in ENTRIES else set()
            echo = Echo(self.command(name))
            server = FakeProvider(echo, owners=() if name in BOUND else owners)
            self.servers[name] = server.__enter__()
        opened.callback(self._close)
        self.secrets = dict(self._secrets())
        self._write()

    def command(self, name: str) -> str:
        """Return a command that looks for keys: what it is given, its family, the home's files."""
        home = self.stage.home
        return (
            f"env > '{self.taken}/{name}'; cat /proc/self/environ >> '{self.taken}/{name}'; "
            "export -p; env; cat /proc/self/environ; cat /proc/$PPID/environ; "
            f"cat '{home}/.env' '{home}/auth.json' '{home}/config.yaml'; echo looked"
        )

    def url(self, name: str) -> str:
        """Return the address of a stand-in, on the path that is the provider's own."""
        path = urlsplit(FACTS.get(name, {}).get("base_url") or "/v1").path
        return f"http://127.0.0.1:{self.servers[name].port}{path}"

    @property
    def exports(self) -> dict[str, str]:
        """What the environment holds: other keys, and addresses that are nobody's."""
        keys = {name: canary(name, "exported") for name in VARIABLES}
        urls = {name: self.nobody.base_url for name, _ in self._addresses()}
        return {**keys, **urls}

    def configure(self, provider: str, model: str, /, **sections: Any) -> None:
        """Choose a provider; everything else stays."""
        names = {name: {"base_url": self.url(name)} for name in ENTRIES if name != "mine"}
        names["lab"]["key_env"], names["moved"]["key_env"] = "LAB_KEY", "MOVED_KEY"
        for name in ("parrot", "drip"):
            names[name]["api_key"] = canary(name)
        auth = {"token_url": f"{self.service.url}/token", "client_id": "client-of-the-tests"}
        settings = {
            "model": {"provider": provider, "default": model},
            "providers": names,
            "auth": {"mine": {**auth, "client_secret": canary("mine", "client")}},
            "agent": {"api_max_retries": 0},
            "terminal": {"max_output": 500_000},
            "sandbox": {"mode": "off"},  # in it, commands would find nothing to hand on
        }
        self.stage.configure(**{**settings, **sections})

    def _close(self) -> None:
        """End all stand-ins at once: each waits a little for its thread."""
        with ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(FakeProvider.close, self.servers.values()))

    def _addresses(self) -> Iterator[tuple[str, str]]:
        for name, fact in FACTS.items():
            if fact["url_variable"] and (fact["base_url"] or "").startswith("http"):
                yield fact["url_variable"], self.url(name)

    def _secrets(self) -> Iterator[tuple[str, str]]:
        for name in VARIABLES:
            yield f"{name} in .env", canary(name)
            yield f"{name} in the environment", canary(name, "exported")
        for name in (*FACTS, *ENTRIES):
            for mark in ("", "access", "refresh", "pasted"):
                yield f"{mark or 'saved'} of {name}", canary(name, mark)
        for mark in ("renewed", "next refresh", "client"):
            yield f"{mark} of mine", canary("mine", mark)

    def _write(self) -> None:
        home = self.stage.home
        lines = {**{name: canary(name) for name in VARIABLES}, **dict(self._addresses())}
        (home / ".env").write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        later = time.time() + 1e7
        logins = {
            name: {
                "access_token": canary(name, "access"),
                "refresh_token": canary(name, "refresh"),
                "expires_at": later,
            }
            for name in (*FACTS, "mine")
        }
        pasted = {
            name: [{"id": "k1", "auth_type": "api_key", "access_token": canary(name, "pasted")}]
            for name in FACTS
        }
        data = {"providers": logins, "credential_pool": pasted}
        (home / "auth.json").write_text(json.dumps(data))
        (home / "auth.json").chmod(0o600)
        self.service.accept(canary("mine", "refresh"))
        plugin = home / "plugins" / "model-providers" / "mine"
        plugin.mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("api: 1\n")
        (plugin / "__init__.py").write_text(PLUGIN.format(url=f"{self.service.url}/v1"))
        for path in (plugin, *plugin.iterdir()):
            path.chmod(0o700)

    def found_in(self, place: str, data: bytes) -> list[str]:
        """Return what of which secret stands in ``data``, in any form."""
        if not may_hold_key(data):
            return []
        return [
            f"{name} as {form!r} in {place}"
            for name, secret in self.secrets.items()
            for form in forms_of(secret)
            if form in data
        ]

    def found_on_disk(self) -> list[str]:
        """Return what stands in the home's files that are no place for keys, and in what is left
        of the commands and everywhere else on the stage."""
        files = [path for path in self.stage.folder.rglob("*") if path.is_file()]
        allowed = {self.stage.home / name for name in MAY_HOLD_KEYS}
        return [
            hit
            for path in files
            if path not in allowed
            for hit in self.found_in(str(path.relative_to(self.stage.folder)), path.read_bytes())
        ]


class Tapped(AcpClient):
    """A client that keeps every byte in both directions, stderr included."""

    def __init__(self, hoard: Hoard) -> None:
        super().__init__(hoard.stage)
        self.hoard = hoard
        self.heard = bytearray()
        self.said = bytearray()
        self.errors = b""

    async def start(self) -> None:
        """Start the program with all it can log, among exported keys."""
        await self.start_io(*COMMAND, "--debug", env=self.hoard.exports)

    def send_raw(self, data: bytes) -> None:
        """Keep and send."""
        self.said += data
        super().send_raw(data)

    def _take(self, line: bytes) -> None:
        self.heard += line
        super()._take(line)

    async def stop(self) -> None:
        """End the connection and keep what was said on stderr."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code, self.errors = await self.wait_for_exit()
        assert code == 0, self.errors
