"""A drawing made of shapes, and its rendering as SVG or PNG. PNG needs matplotlib, an optional extra.

Coordinates are pixels from the top left.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape, quoteattr

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ChartFormat = Literal["png", "svg"]

TEXT_COLOUR = "#1f2933"
MUTED_COLOUR = "#7b8794"
LINE_COLOUR = "#cbd2d9"


@dataclass(frozen=True)
class Rectangle:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = LINE_COLOUR
    width: float = 1.0
    arrow: bool = False
    """Whether it ends in an arrowhead."""


@dataclass(frozen=True)
class Label:
    """A line of text; `y` is its vertical centre."""

    x: float
    y: float
    text: str
    size: float = 12.0
    align: Literal["start", "middle", "end"] = "start"
    colour: str = TEXT_COLOUR


Shape = Rectangle | Line | Label


@dataclass
class Drawing:
    """A picture as a list of shapes; later shapes cover earlier ones."""

    width: int
    height: int
    title: str
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        self.shapes.extend(shapes)


SVG_TYPE = "image/svg+xml"

_ARROWHEAD = (
    "<marker id='head' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' orient='auto'>"
    "<path d='M0 0 L10 5 L0 10 z' fill='#7b8794'/></marker>"
)


def render_svg(drawing: Drawing) -> bytes:
    """Return the drawing as an SVG document."""
    shapes = "\n".join(_svg_element(shape) for shape in drawing.shapes)
    size = f"width='{drawing.width}' height='{drawing.height}'"
    box = f"viewBox='0 0 {drawing.width} {drawing.height}'"
    text = (
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} {box} font-family='sans-serif'>\n"
        f"<title>{_escape(drawing.title)}</title>\n<defs>{_ARROWHEAD}</defs>\n"
        f"<rect width='100%' height='100%' fill='#ffffff'/>\n{shapes}\n</svg>\n"
    )
    return text.encode()


def _svg_element(shape: Shape) -> str:
    match shape:
        case Rectangle():
            area = f"x='{shape.x:g}' y='{shape.y:g}' width='{shape.width:g}' height='{shape.height:g}'"
            return f"<rect {area} fill={quoteattr(shape.fill)}/>"
        case Line():
            points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
            head = " marker-end='url(#head)'" if shape.arrow else ""
            stroke = f"stroke={quoteattr(shape.colour)} stroke-width='{shape.width:g}'"
            return f"<polyline points='{points}' fill='none' {stroke}{head}/>"
        case Label():
            place = f"x='{shape.x:g}' y='{shape.y:g}' dy='0.35em' text-anchor='{shape.align}'"
            style = f"font-size='{shape.size:g}' fill={quoteattr(shape.colour)}"
            return f"<text {place} {style}>{_escape(shape.text)}</text>"


def _escape(text: str) -> str:
    return escape(visible(text).replace("\n", " "))


PNG_TYPE = "image/png"
_DOTS_PER_INCH = 100
"""Any value gives the same picture; matplotlib is told sizes in inches and points."""
_POINTS_PER_PIXEL = 72 / _DOTS_PER_INCH
_ALIGNMENTS: dict[str, Any] = {"start": "left", "middle": "center", "end": "right"}


def render_png(drawing: Drawing, cache: Path) -> bytes:
    """Return the drawing as a PNG file; `cache` is the directory for matplotlib's font cache."""
    os.environ.setdefault("MPLCONFIGDIR", str(cache))
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise Unavailable(
            "PNG charts need matplotlib, which is not installed.",
            hint="Install it with: pip install 'holdfast[charts]'. Until then, use the format svg.",
        ) from None
    figure = Figure(
        figsize=(drawing.width / _DOTS_PER_INCH, drawing.height / _DOTS_PER_INCH), dpi=_DOTS_PER_INCH
    )
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.axis("off")
    for shape in drawing.shapes:
        _draw_shape(axes, shape)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None, "Title": _printable(drawing.title)})
    return buffer.getvalue()


def _draw_shape(axes: Axes, shape: Shape) -> None:
    from matplotlib.patches import Rectangle as Patch

    match shape:
        case Rectangle():
            area = Patch((shape.x, shape.y), shape.width, shape.height, facecolor=shape.fill, linewidth=0)
            axes.add_patch(area)
        case Line(arrow=True):
            arrow = {"arrowstyle": "-|>", "color": shape.colour, "linewidth": shape.width}
            axes.annotate("", xy=shape.points[-1], xytext=shape.points[0], arrowprops=arrow)
        case Line():
            across, down = zip(*shape.points, strict=True)
            axes.plot(across, down, color=shape.colour, linewidth=shape.width)
        case Label():
            axes.text(
                shape.x,
                shape.y,
                _printable(shape.text),
                fontsize=shape.size * _POINTS_PER_PIXEL,
                color=shape.colour,
                horizontalalignment=_ALIGNMENTS[shape.align],
                verticalalignment="center_baseline",
                parse_math=False,
            )


def _printable(text: str) -> str:
    """Return untrusted text with a box for each character that the font lacks, which matplotlib warns of."""
    line = visible(text).replace("\n", " ")
    return "".join(character if ord(character) in _font_characters() else "□" for character in line)


@lru_cache(maxsize=1)
def _font_characters() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(findfont(FontProperties())).get_charmap())


def render(drawing: Drawing, wanted: ChartFormat | None, cache: Path) -> tuple[bytes, str]:
    """Return a drawing as a file, and its media type.

    Without a requested format, the file is PNG if matplotlib is installed, else SVG.
    """
    if wanted != "svg":
        try:
            return render_png(drawing, cache), PNG_TYPE
        except Unavailable:
            if wanted == "png":
                raise
    return render_svg(drawing), SVG_TYPE
