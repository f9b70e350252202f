"""A drawing as PNG, painted by matplotlib, which is an extra."""

from __future__ import annotations

import io
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible
from holdfast.tasks.charts.drawing import Drawing, Label, Line, Rectangle, Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIME_TYPE = "image/png"
_DOTS_PER_INCH = 100
_POINTS_PER_PIXEL = 72 / _DOTS_PER_INCH
_ALIGNMENTS: dict[str, Any] = {"start": "left", "middle": "center", "end": "right"}


def png(drawing: Drawing, cache: Path) -> bytes:
    """Return the drawing as a PNG file; in `cache` the library keeps what it knows of fonts."""
    os.environ.setdefault("MPLCONFIGDIR", str(cache))
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise Unavailable(
            "PNG charts need matplotlib, which is not installed.",
            hint='Install it with: pip install "holdfast[charts]". Until then ask for the format svg.',
        ) from None
    figure = Figure(
        figsize=(drawing.width / _DOTS_PER_INCH, drawing.height / _DOTS_PER_INCH), dpi=_DOTS_PER_INCH
    )
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.axis("off")
    for shape in drawing.shapes:
        _paint(axes, shape)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None, "Title": _printable(drawing.title)})
    return buffer.getvalue()


def _paint(axes: Axes, shape: Shape) -> None:
    from matplotlib.patches import Rectangle as Patch

    match shape:
        case Rectangle():
            area = Patch((shape.x, shape.y), shape.width, shape.height, facecolor=shape.fill, linewidth=0)
            axes.add_patch(area)
        case Line(arrow=True):
            arrow = {"arrowstyle": "-|>", "color": shape.color, "linewidth": shape.width}
            axes.annotate("", xy=shape.points[-1], xytext=shape.points[0], arrowprops=arrow)
        case Line():
            across, down = zip(*shape.points, strict=True)
            axes.plot(across, down, color=shape.color, linewidth=shape.width)
        case Label():
            axes.text(
                shape.x,
                shape.y,
                _printable(shape.text),
                fontsize=shape.size * _POINTS_PER_PIXEL,
                color=shape.color,
                horizontalalignment=_ALIGNMENTS[shape.align],
                verticalalignment="center_baseline",
                parse_math=False,
            )


def _printable(text: str) -> str:
    """Return stored text in letters that the font has; the rest become boxes, as a font would show them."""
    known = _letters()
    return "".join(letter if ord(letter) in known else "□" for letter in visible(text).replace("\n", " "))


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(findfont(FontProperties())).get_charmap())
