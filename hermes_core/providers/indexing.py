"""Makes ``index.py`` and ``docs/provider-list.md`` from the bundled folders.

Tests hold both against the folders. After a change of a folder::

    python -c "from hermes_core.providers.indexing import renew; renew()"
    ruff format hermes_core/providers/index.py
"""

from pathlib import Path

from hermes_core.providers.directory import Index
from hermes_core.providers.page import page
from hermes_core.providers.registry import BUNDLED, Catalogue

INDEX = Path(__file__).with_name("index.py")
PAGE = Path(__file__).parents[2] / "docs" / "provider-list.md"

_HEAD = '''"""The index of the bundled providers. Made by ``indexing.renew``, not by hand."""

from hermes_core.providers.directory import Index

'''


def renew() -> None:
    """Write both files, in a copy of the project's repository."""
    catalogue = Catalogue(BUNDLED)
    INDEX.write_text(index_text(catalogue.directory.index), encoding="utf-8")
    PAGE.write_text(page(catalogue.all()), encoding="utf-8")


def index_text(index: Index) -> str:
    """Return the text of ``index.py``, to be formatted by ruff."""
    return (
        f"{_HEAD}BUNDLED_INDEX = Index(\n"
        f"    names={index.names!r},\n"
        f"    aliases={dict(index.aliases)!r},\n"
        f"    places={index.places!r},\n"
        f"    auto={index.auto!r},\n)\n"
    )
