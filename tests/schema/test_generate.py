import pytest

from tests.schema.generate import TARGET, generate

GENERATED = generate()


@pytest.mark.parametrize("name", GENERATED)
def test_the_committed_file_is_what_the_schema_gives(name: str) -> None:
    committed = (TARGET / f"{name}.py").read_text(encoding="utf-8")
    assert committed == GENERATED[name], "run: python -m tests.schema.generate"
