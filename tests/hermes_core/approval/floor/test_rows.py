"""What the floor refuses, and its harmless cousins, by kinds; judged as text, never run."""

import json
from pathlib import Path

import pytest

from hermes_core.approval.floor import read_floor

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "data/floor.jsonl").read_text().splitlines()
]


def rule(command: str) -> str:
    return read_floor(command, "/home/u/proj", "/home/u").rule


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in ROWS}))
def test_the_irreversible_is_refused_and_its_cousins_are_not(kind: str) -> None:
    rows = [row for row in ROWS if row["kind"] == kind]
    found = [(row["cmd"], rule(row["cmd"])) for row in rows]
    assert found == [(row["cmd"], row["rule"]) for row in rows]


def test_there_are_more_harmless_rows_than_refused_ones() -> None:
    refused = sum(1 for row in ROWS if row["rule"])
    assert len(ROWS) > 600
    assert refused < len(ROWS) - refused
