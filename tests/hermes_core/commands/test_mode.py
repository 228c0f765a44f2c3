"""Modes by name."""

from typing import get_args

import pytest

from hermes_core.commands.mode import MODES, describe_modes, find_mode
from hermes_core.ground.actions import Mode
from hermes_core.ground.errors import HermesError


def test_every_mode_is_described() -> None:
    assert tuple(info.id for info in MODES) == get_args(Mode)
    assert all(info.name and info.description for info in MODES)


@pytest.mark.parametrize("text", ["accept_edits", " Accept Edits ", "accept-edits", "ACCEPT_EDITS"])
def test_a_mode_is_found_by_id_or_name(text: str) -> None:
    assert find_mode(text) == "accept_edits"


@pytest.mark.parametrize("text", ["", "yolo"])
def test_an_unknown_mode_names_those_there_are(text: str) -> None:
    with pytest.raises(HermesError, match="default, accept_edits"):
        find_mode(text)


def test_the_current_mode_is_marked() -> None:
    assert describe_modes("default").splitlines()[0].startswith("- `default` (now):")
    assert "(now)" not in describe_modes("default").splitlines()[1]
