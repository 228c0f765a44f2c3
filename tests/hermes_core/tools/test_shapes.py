from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from hermes_core.tools.shapes import description_of, fields_of, object_schema


class Point(TypedDict):
    x: int
    label: NotRequired[Annotated[str, "What it is called"]]


def plot(
    _ctx: object,
    points: Annotated[list[Point], "Where"],
    *,
    scale: float | None = None,
    style: Literal["line", "dots"] = "line",
    grid: bool = False,
    names: list[str] | None = None,
) -> None:
    """Draw points
    on a plane.

    Not for the model.
    """


def test_a_signature_becomes_a_schema() -> None:
    assert object_schema(fields_of(plot)) == {
        "type": "object",
        "properties": {
            "points": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "x": {"type": "integer"},
                        "label": {"type": "string", "description": "What it is called"},
                    },
                    "required": ["x"],
                },
                "description": "Where",
            },
            "scale": {"type": "number"},
            "style": {"type": "string", "enum": ["line", "dots"], "default": "line"},
            "grid": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["points"],
    }


def test_the_first_paragraph_is_the_description() -> None:
    assert description_of(plot) == "Draw points on a plane."


def test_a_type_without_a_shape_is_a_mistake_of_the_tool() -> None:
    def wrong(_ctx: object, anything: dict[str, Any]) -> None: ...

    with pytest.raises(TypeError, match="dict"):
        fields_of(wrong)
