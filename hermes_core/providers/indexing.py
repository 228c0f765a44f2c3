"""Writes ``index.py`` from the bundled folders; a test holds the one against the others."""

from hermes_core.providers.directory import Index

_HEAD = '''"""The index of the bundled providers. Made by ``indexing.index_text``, not by hand."""

from hermes_core.providers.directory import Index

'''


def index_text(index: Index) -> str:
    """Return the text of ``index.py``, to be formatted by ruff."""
    return (
        f"{_HEAD}BUNDLED_INDEX = Index(\n"
        f"    names={index.names!r},\n"
        f"    aliases={dict(index.aliases)!r},\n"
        f"    places={index.places!r},\n"
        f"    auto={index.auto!r},\n)\n"
    )
