"""Formatting of text for people: shortening, single lines, and tables that fit a terminal.

Standard library only, because quick commands use this module too. Widths are in columns of a terminal.

    shorten("A long title", 8)  # "A long …"
    table([("8903a9b6", "open", "A title", "bug, area-3")], width=40, flexible=(2, 3))
"""

from __future__ import annotations

TYPE_CHECKING = False  # without `typing`, because quick commands import this module
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_NUMBER_DIGITS = 18
"""The largest number of digits that always fits into a 64-bit integer, as SQLite stores it."""
_COLUMN_GAP = "  "
_MIN_FLEXIBLE_WIDTH = 12
"""The width of the first flexible column on the narrowest terminal. A judgement: two short words."""
_ZERO_WIDTH = frozenset((*range(0x300, 0x370), 0x200D, 0xFE0E, 0xFE0F))
"""Combining diacritical marks, the zero-width joiner, and the selectors of an emoji's presentation."""
_WIDE_RANGES = (
    (0x1100, 0x115F),
    (0x2E80, 0x303E),
    (0x3041, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
)
"""Ranges of characters that take two columns, simplified from Unicode's East Asian Width (UAX #11).

Loading the exact tables would take too long for a command that runs many times an hour.
"""


def shorten(text: str, maximum: int, *, mark: str = "…", beyond: bool = False, tidy: bool = False) -> str:
    """Return a text of at most `maximum` characters, ending with a mark if it was cut.

    `beyond`: the mark comes on top of the maximum. `tidy`: white space before the mark is removed.
    """
    if len(text) <= maximum:
        return text
    kept = text[: maximum if beyond else maximum - len(mark)]
    return (kept.rstrip() if tidy else kept) + mark


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: `1 file`, `2,000 files`; `plural` is needed only if it is irregular."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def parse_natural(text: str) -> int | None:
    """Return the number in a text of digits; None for any other text, or too many digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_NUMBER_DIGITS else None


def one_line(text: str, *, keep_spaces: bool = False) -> str:
    """Return stored text on one line without invisible characters, its white space collapsed unless kept."""
    if not (text.isascii() and text.isprintable()):
        from holdfast.kernel.untrusted import visible  # Imports modules that most texts do not need.

        text = visible(text)
    return " ".join(text.splitlines() if keep_spaces else text.split())


def printable_path(path: str) -> str:
    """Return a path with undecodable bytes and unprintable characters escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(
        character if character.isprintable() else ascii(character).strip("'") for character in text
    )


def table(rows: Sequence[Sequence[str]], width: int, *, flexible: Sequence[int]) -> str:
    """Return rows as aligned lines that fit a width. Only flexible columns are cut, the first of them last.

    Columns that are empty in every row are left out. Each cell is one line: see `one_line`.
    """
    if not rows:
        return ""
    natural = [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]
    widths = _distribute(natural, width, flexible)
    lines = []
    for row in rows:
        cells = [fit_to_width(cell, width) for cell, width in zip(row, widths, strict=True) if width]
        lines.append(_COLUMN_GAP.join(cells).rstrip())
    return "\n".join(lines)


def display_width(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_code_point_width(ord(character)) for character in text)


def fit_to_width(text: str, width: int) -> str:
    """Return a text cut or padded to a width. A path is cut at its start: its end says which file it is."""
    taken = display_width(text)
    if taken <= width:
        return text + " " * (width - taken)
    if "/" in text and " " not in text and text.isascii():
        return f"…{text[len(text) - width + 1 :]}"
    kept, taken = [], 0
    for character in text:
        taken += display_width(character)
        if taken > width - 1:
            taken -= display_width(character)
            break
        kept.append(character)
    return f"{''.join(kept)}…" + " " * (width - 1 - taken)


def _code_point_width(code_point: int) -> int:
    if code_point in _ZERO_WIDTH:
        return 0
    return 2 if any(first <= code_point <= last for first, last in _WIDE_RANGES) else 1


def _distribute(natural: list[int], width: int, flexible: Sequence[int]) -> list[int]:
    """Return the widths of columns whose `natural` widths may be too large for the terminal.

    The narrowest flexible columns get their natural width; the others share the rest equally.
    """
    widths = [0 if column in flexible else needed for column, needed in enumerate(natural)]
    shown = [column for column in flexible if natural[column]]
    fixed = [needed for needed in widths if needed]
    left = width - sum(fixed) - len(_COLUMN_GAP) * (len(fixed) + len(shown) - 1)
    for position, column in enumerate(sorted(shown, key=lambda column: natural[column])):
        equal_share = left // (len(shown) - position)
        widths[column] = max(0, min(natural[column], equal_share))
        left -= widths[column]
    return _widen_first(widths, natural, shown)


def _widen_first(widths: list[int], natural: list[int], shown: list[int]) -> list[int]:
    """Widen the first flexible column to its minimum, and narrow the other flexible columns instead."""
    if not shown:
        return widths
    first, *rest = shown
    missing = max(0, min(natural[first], _MIN_FLEXIBLE_WIDTH) - widths[first])
    widths[first] += missing
    for column in reversed(rest):
        taken = min(widths[column], missing)
        widths[column] -= taken
        missing -= taken
    return widths
