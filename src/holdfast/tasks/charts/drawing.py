"""What charts are made of, before anybody decides on a file format. Lengths are pixels, from the top left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

INK = "#1f2933"
QUIET = "#7b8794"
RULE = "#cbd2d9"


@dataclass(frozen=True)
class Rectangle:
    """A filled area."""

    x: float
    y: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    color: str = RULE
    width: float = 1.0
    arrow: bool = False
    """Whether its last point is an arrow's head."""


@dataclass(frozen=True)
class Label:
    """Words at a place; `y` is the middle of the line."""

    x: float
    y: float
    text: str
    size: float = 12.0
    align: Literal["start", "middle", "end"] = "start"
    color: str = INK


Shape = Rectangle | Line | Label


@dataclass
class Drawing:
    """A picture as shapes, painted in order."""

    width: int
    height: int
    title: str
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Paint further shapes over what is there."""
        self.shapes.extend(shapes)
