"""Programs that tell about the machine. What shows other processes or the environment asks."""

import re

from hermes_core.approval.model import Model, Parsed

_ZONE_FILE = re.compile(r"TZ\s*=\s*\"?\s*[^A-Za-z\"\s]|\.\.")
"""A time zone that is told as a path: GNU date reads that file."""


def _date_check(parsed: Parsed) -> str:
    if any(not text.startswith("+") for _, text in parsed.operands):
        return "it sets the clock"
    told = parsed.given("-d", "--date")
    return "it reads a file for the time zone" if any(map(_ZONE_FILE.search, told)) else ""


SYSTEM: dict[str, Model] = {
    "uname": Model(
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release"
        " --kernel-version --machine --processor --hardware-platform --operating-system",
        "",
    ),
    "arch": Model("", ""),
    "date": Model(
        "-u --utc --universal -R --rfc-email -I? --iso-8601? --rfc-3339: -d: --date: -r:meta"
        " --reference:meta",
        "text",
        check=_date_check,
    ),
    "whoami": Model("", ""),
    "logname": Model("", ""),
    "id": Model("-a -g -G -n -r -u -z --group --groups --name --real --user --zero", "text"),
    "groups": Model("", "text"),
    "nproc": Model("--all --ignore:", ""),
    "hostname": Model("-s --short", ""),
    "uptime": Model("-p -s --pretty --since", ""),
    "free": Model(
        "-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --total", ""
    ),
    "lscpu": Model("-a -b -c -e? -J -p? --all --json --extended? --parse?", ""),
    "tty": Model("-s --silent --quiet", ""),
    "locale": Model("-a -m -c -k --all-locales --charmaps", "text*"),
    "getconf": Model("-a", "text*"),
    "cal": Model("-1 -3 -m -s -j -y -n:", "text text text"),
    "lsb_release": Model("-a -i -d -r -c -s --all --id --description --release --codename", ""),
    "sw_vers": Model("-productName -productVersion -buildVersion", ""),
    "expr": Model("", "text*", raw=True),
}
