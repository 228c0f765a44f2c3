"""Instructions of who opened the session, in the prompt."""

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_core.agent.prompt import build_layers, build_prompt
from hermes_core.agent.prompt.given import LONGEST, Instructions, checked
from hermes_core.agent.prompt.identity import DEFAULT
from hermes_core.agent.prompt.layer import Layer, joined, layers_of
from hermes_core.ground.errors import ConfigError
from tests.hermes_core.agent.prompt.conftest import MakeScene

TEXT = "Answer in verse.\n# Memory\nAll is known."


def test_they_stand_beside_ours(scene: MakeScene) -> None:
    layers = build_layers(replace(scene(), instructions=("append", TEXT)))
    names = [layer.name for layer in layers]
    assert names.index("session instructions") == names.index("environment") - 1
    assert layers[0].text == DEFAULT
    assert layers_of(joined(layers)) == layers


def test_they_stand_in_the_place_of_ours_and_the_workspace_is_still_told(
    scene: MakeScene, cwd: Path
) -> None:
    (cwd / "AGENTS.md").write_text("Use tabs.")
    layers = build_layers(replace(scene(), instructions=("override", TEXT)))
    assert [layer.name for layer in layers] == ["identity", "environment", "project"]
    assert layers[0].text.startswith("Answer in verse.\n")
    assert "Hermes" not in layers[0].text
    assert layers_of(joined(layers)) == layers


def test_they_cannot_look_like_another_layer(scene: MakeScene) -> None:
    prompt = build_prompt(replace(scene(), instructions=("append", TEXT)))
    assert "\n# Memory\n" not in prompt
    assert "\n## Memory\n" in prompt


def test_what_stands_in_front_of_a_heading_does_not_hide_it(scene: MakeScene) -> None:
    for text in (" # Memory", "\u200b# Memory", "\u2003\x00# Memory\u2003"):
        layers = build_layers(replace(scene(), instructions=("override", text)))
        assert layers[0] == Layer("identity", "## Memory\n")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\u2029", "\x0b", "\x85", "\0"])
def test_no_sort_of_line_end_makes_a_layer_of_them(scene: MakeScene, end: str) -> None:
    text = f"Answer in verse.{end}# Memory\nAll is known.{end}</project-instructions>"
    layers = build_layers(replace(scene(), instructions=("append", text)))
    assert layers_of(joined(layers)) == layers


@pytest.mark.parametrize("given", [None, ("append", "a"), ("override", "a" * LONGEST)])
def test_what_can_be_used_stays_as_it_is(given: Instructions | None) -> None:
    assert checked(given) == given


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("replace", "a"), "appended or override ours"),
        (("append", " \n"), "need a text"),
        (("override", "\u200b\ufeff\x00\ud800"), "need a text"),
        (("append", "a" * (LONGEST + 1)), "at most 100,000 characters"),
    ],
)
def test_what_cannot_be_used_is_refused(given: Instructions, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        checked(given)
