"""The programs that are modelled, one table a family."""

from hermes_core.approval.model import Family, Model
from hermes_core.approval.programs.changing import CHANGING
from hermes_core.approval.programs.files import FILES
from hermes_core.approval.programs.git import GIT
from hermes_core.approval.programs.search import SEARCH
from hermes_core.approval.programs.shell import SHELL
from hermes_core.approval.programs.system import SYSTEM
from hermes_core.approval.programs.text import TEXT

PROGRAMS: dict[str, Model | Family] = {
    **CHANGING,
    **FILES,
    **TEXT,
    **SEARCH,
    **SHELL,
    **SYSTEM,
    "git": GIT,
}
"""By bare name. What has only a version to tell is in ``versions``."""
