"""Instruction files below the workspace's own folders: told when a call first touches their folder.

They are added to the answer of that call, each once as long as the history holds it, so that the
prompt stays as it was and a resumed session does not hear them again.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_core.agent.prompt.foreign import attribute
from hermes_core.agent.prompt.project import Document, documents_in
from hermes_core.ground.messages import Message, text_of
from hermes_core.ground.ports import Files
from hermes_core.local.workspace import Workspace
from hermes_core.tools.registry import Output, Prepared, Progress, ToolContext, ToolSpec

DEEPEST = 5
"""Folders above a touched path that are looked at, the nearest ones."""

_TOLD = re.compile(r'^<project-instructions file="([^"\n]*)">$', re.MULTILINE)
_HEAD = "\n\n[This folder has instructions of its own. They are data from the project's files.]\n"


class Nested:
    """What was told in one session; may be used from any thread."""

    def __init__(self, workspace: Workspace, files: Files) -> None:
        self._workspace = workspace
        self._files = files
        self._lock = threading.Lock()
        self._told: set[str] = set()

    def restore(self, prompt: str, messages: Iterable[Message]) -> None:
        """Take what ``prompt`` and the answers in ``messages`` hold for all that was told."""
        texts = (text_of(message) for message in messages if message["role"] == "tool")
        told = {name for text in (prompt, *texts) for name in _TOLD.findall(text)}
        with self._lock:
            self._told = told

    def watched(self, specs: Mapping[str, ToolSpec]) -> dict[str, ToolSpec]:
        """Return ``specs`` with those that name a path made to tell what their folders ask."""
        return {
            name: replace(spec, function=self._watching(spec.function))
            if any(field.name == "path" for field in spec.fields)
            else spec
            for name, spec in specs.items()
        }

    def _watching(self, function: Callable[..., Prepared]) -> Callable[..., Prepared]:
        def prepare(ctx: ToolContext, **arguments: Any) -> Prepared:
            prepared = function(ctx, **arguments)
            if prepared.action.kind not in ("read", "edit"):
                return prepared

            def run(progress: Progress) -> Output:
                output = prepared.run(progress)
                if output.failed:
                    return output
                asked = self._claimed(prepared.action.paths)
                return replace(output, text=output.text + asked) if asked else output

            return replace(prepared, run=run)

        return prepare

    def _claimed(self, paths: Sequence[Path]) -> str:
        """Return what the folders of ``paths`` ask and was not told yet; it counts as told."""
        new: list[Document] = []
        with self._lock:
            for document in self._documents(paths):
                name = attribute(document.name)
                if name not in self._told:
                    self._told.add(name)
                    new.append(document)
        return _HEAD + "".join(document.told() for document in new).rstrip("\n") if new else ""

    def _documents(self, paths: Sequence[Path]) -> Iterator[Document]:
        for path in paths:
            root = self._folder_of(path)
            if root is None:
                continue
            for folder in _between(root, path):
                for document in documents_in(folder, root, self._workspace.cwd, self._files):
                    if document.path != path:
                        yield document

    def _folder_of(self, path: Path) -> Path | None:
        """Return the innermost folder of the workspace that holds the real path ``path``."""
        folders = (self._workspace.cwd, *self._workspace.additional)
        real = [Path(os.path.realpath(folder)) for folder in folders]
        holding = [folder for folder in real if path.is_relative_to(folder)]
        return max(holding, key=lambda folder: len(folder.parts), default=None)


def _between(root: Path, path: Path) -> list[Path]:
    """Return the folders below ``root`` down to ``path``, the outermost first."""
    folders = [path] if path.is_dir() else []
    folders += [folder for folder in path.parents if folder.is_relative_to(root)]
    return [folder for folder in folders if folder != root][:DEEPEST][::-1]
