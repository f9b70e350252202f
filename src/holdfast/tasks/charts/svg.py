"""A drawing as SVG: text that any browser shows, without any library."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from holdfast.kernel.untrusted import visible
from holdfast.tasks.charts.drawing import Drawing, Label, Line, Rectangle, Shape

MIME_TYPE = "image/svg+xml"

_HEAD = (
    "<marker id='head' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' orient='auto'>"
    "<path d='M0 0 L10 5 L0 10 z' fill='#7b8794'/></marker>"
)


def svg(drawing: Drawing) -> bytes:
    """Return the drawing as an SVG document."""
    shapes = "\n".join(_element(shape) for shape in drawing.shapes)
    size = f"width='{drawing.width}' height='{drawing.height}'"
    box = f"viewBox='0 0 {drawing.width} {drawing.height}'"
    text = (
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} {box} font-family='sans-serif'>\n"
        f"<title>{_words(drawing.title)}</title>\n<defs>{_HEAD}</defs>\n"
        f"<rect width='100%' height='100%' fill='#ffffff'/>\n{shapes}\n</svg>\n"
    )
    return text.encode()


def _element(shape: Shape) -> str:
    match shape:
        case Rectangle():
            area = f"x='{shape.x:g}' y='{shape.y:g}' width='{shape.width:g}' height='{shape.height:g}'"
            return f"<rect {area} fill={quoteattr(shape.fill)}/>"
        case Line():
            points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
            head = " marker-end='url(#head)'" if shape.arrow else ""
            stroke = f"stroke={quoteattr(shape.color)} stroke-width='{shape.width:g}'"
            return f"<polyline points='{points}' fill='none' {stroke}{head}/>"
        case Label():
            place = f"x='{shape.x:g}' y='{shape.y:g}' dy='0.35em' text-anchor='{shape.align}'"
            look = f"font-size='{shape.size:g}' fill={quoteattr(shape.color)}"
            return f"<text {place} {look}>{_words(shape.text)}</text>"


def _words(text: str) -> str:
    """Return stored text so that it can only be text."""
    return escape(visible(text).replace("\n", " "))
