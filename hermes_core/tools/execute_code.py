"""The tool that runs a piece of Python.

It is a command like any other: ``python3 -I -c CODE``, judged, shown, sealed and held by the same
walls. An interpreter always asks, and "always" means this very code. ``-I`` leaves out what the
project or the environment would put between the code and what it imports.
"""

import shlex
from typing import Annotated

from hermes_core.ground.content import Text
from hermes_core.ground.errors import ToolError
from hermes_core.tools.registry import Prepared, ToolContext, tool
from hermes_core.tools.terminal import prepare_command
from hermes_core.tools.visible import fence, many_lines

MAX_CODE = 32_768
"""Characters; a person is to read it."""


@tool(kind="execute", together="never")
def execute_code(
    ctx: ToolContext,
    code: Annotated[str, "Python source; print what you want to know"],
    timeout: Annotated[float | None, "Seconds, if it may take over 3 minutes"] = None,
) -> Prepared:
    """Run Python code in the working folder, in a fresh interpreter, for calculations and data
    that need more than one command. The user reads it first, so keep it short.
    """
    if not code.strip():
        raise ToolError("execute_code: the code is empty.")
    if len(code) > MAX_CODE:
        raise ToolError(
            f"execute_code: the code has {len(code)} characters, and {MAX_CODE} are allowed. Write"
            " it to a file with write_file and run that with terminal."
        )
    command = f"python3 -I -c {shlex.quote(code)}"
    shown = Text(fence(many_lines(code), "python"))
    return prepare_command(ctx, "execute_code", command, timeout, above=(shown,))
