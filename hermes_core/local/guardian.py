"""A tiny shell process that ends our commands when we are killed before we can do it.

It holds the reading end of a pipe. When this process dies, by whatever signal, the pipe ends, and
the guardian kills the process groups that were still running and, on Linux, every process that
bears this process's mark in its environment. (``PR_SET_PDEATHSIG`` would end a command's shell
alone, and as soon as the thread ends that started it.)
"""

import subprocess
import threading
from contextlib import suppress

_SCRIPT = r"""
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
  esac
done
for round in 1 2 3; do
  for group in $groups; do kill -9 "-$group"; done
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -9 "${pid%/environ}"
  done
done
"""


class Guardian:
    """One guardian process, started at its first use and again if somebody ended it.

    mark: stands in the environment of every command of this process, and of no other.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """Kill the process group ``group`` if this process dies."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._end()
            if self._process is None:
                self._process = self._start()
            self._tell(f"+ {group}\n")

    def forget(self, group: int) -> None:
        """Leave ``group`` alone from now on; it is gone."""
        with self._lock:
            self._tell(f"- {group}\n")

    def pid(self) -> int | None:
        """Return the guardian's process id while there is one."""
        process = self._process
        return None if process is None else process.pid

    def close(self) -> None:
        """Let the guardian do its work and end, within a second."""
        with self._lock:
            self._end()

    def _start(self) -> subprocess.Popen[bytes] | None:
        with suppress(OSError):
            return subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "hermes-guardian", self._mark],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                bufsize=0,
                start_new_session=True,
            )
        return None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(line.encode())
