"""Programs that change files: they ask, by their effect, which can be allowed for good.

Only options that keep a change inside its operands are here.
"""

from hermes_core.approval.model import Model

_WRITES = "writes files"
_DELETES = "deletes files"

CHANGING: dict[str, Model] = {
    "mkdir": Model("-p -v --parents --verbose", "write*", least=1, effect="creates folders"),
    "touch": Model("-a -c -m --no-create", "write*", least=1, effect=_WRITES),
    "cp": Model(
        "-a -f -i -n -p -r -R -u -v --archive --force --no-clobber --recursive --update --verbose",
        "write*",
        least=2,
        effect=_WRITES,
    ),
    "mv": Model(
        "-f -i -n -u -v --force --no-clobber --update --verbose",
        "write*",
        least=2,
        effect="moves files",
    ),
    "rm": Model("-f -i -v --force --verbose", "write*", least=1, effect=_DELETES),
    "rmdir": Model("-p -v --parents --verbose", "write*", least=1, effect="deletes empty folders"),
    "tee": Model("-a --append", "write*", effect=_WRITES),
    "ln": Model("-s -v --symbolic --verbose", "write write", least=2, effect="creates links"),
    "chmod": Model("-v --verbose", "text write*", least=2, effect="changes who may use files"),
    "truncate": Model("-s: --size:", "write*", least=1, effect=_WRITES),
}
