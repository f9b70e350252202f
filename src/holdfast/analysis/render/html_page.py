"""A report as one HTML file in the style of the page: it loads nothing and can be read without scripts.

Contract: every text that is passed in is escaped, except for `Html`, which these functions return. The only
script lets tables be sorted; the content security policy names it by its hash.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib import resources

from holdfast import __version__
from holdfast.kernel.untrusted import visible


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Cell = str | float | Html | None

_STYLE_FILE, _SCRIPT_FILE = "report.css", "report.js"


def html_page(title: str, parts: Iterable[Html]) -> str:
    """Return a whole page; `title` is also its heading."""
    style, script = _resource(_STYLE_FILE), _resource(_SCRIPT_FILE)
    script_hash = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script_hash}'"
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escaped(title)}</title><style>{style}</style></head>\n<body><h1>{escaped(title)}</h1>\n"
        f'{body}\n<p class="quiet">Holdfast {__version__}</p>\n<script>{script}</script></body></html>\n'
    )


def _resource(name: str) -> str:
    return (resources.files("holdfast.analysis.render") / name).read_text(encoding="utf-8")


def escaped(value: object) -> str:
    """Return a value as HTML; nothing for None."""
    if isinstance(value, Html):
        return value
    return "" if value is None else escape(visible(str(value)))


def element(name: str, content: object, class_: str = "") -> Html:
    """Return an element with some content."""
    attributes = f' class="{escaped(class_)}"' if class_ else ""
    return Html(f"<{name}{attributes}>{escaped(content)}</{name}>")


def listed(name: str, items: Iterable[object]) -> Html:
    """Return a list, `ol` or `ul`."""
    return element(name, Html("".join(element("li", item) for item in items)))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    footer: Sequence[Cell] = (),
    classes: Sequence[str] = (),
) -> Html:
    """Return a table that can be sorted; columns of numbers are aligned right, and rows may have classes."""
    numeric = [_is_numeric(row[column] for row in rows) for column in range(len(columns))]
    kinds = ["number" if is_numeric else "" for is_numeric in numeric]
    head = "".join(element("th", name, kind) for name, kind in zip(columns, kinds, strict=True))
    body = "\n".join(
        element("tr", _cells(row, kinds), class_)
        for row, class_ in zip(rows, classes or [""] * len(rows), strict=True)
    )
    foot = f"<tfoot>{element('tr', _cells(footer, kinds))}</tfoot>" if footer else ""
    parts = f"<thead>{element('tr', Html(head))}</thead>\n<tbody>{body}</tbody>\n{foot}"
    return element("div", element("table", Html(parts)), "wide")


def _is_numeric(values: Iterable[Cell]) -> bool:
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float}


def _cells(row: Sequence[Cell], kinds: Sequence[str]) -> Html:
    return Html("".join(element("td", _shown(cell), kind) for cell, kind in zip(row, kinds, strict=True)))


def _shown(cell: Cell) -> Cell:
    if isinstance(cell, float):
        return f"{cell:,.6g}"
    return f"{cell:,}" if isinstance(cell, int) else cell
