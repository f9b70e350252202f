"""Formatting of text for people: shortening, single lines, and tables that fit a terminal.

Standard library only, because quick commands use this module too.

    shorten("A long title", 8)  # "A long …"
    table([("8903a9b6", "open", "A title", "bug, area-3")], width=40, flexible=(2, 3))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_NUMBER_DIGITS = 18
"""The largest number of digits that always fits into a 64-bit integer, as SQLite stores it."""
_COLUMN_GAP = "  "
_MIN_FLEXIBLE_WIDTH = 12
"""The width of the first flexible column on the narrowest terminal. A judgement: two short words."""
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

    `beyond`: the mark is not counted. `tidy`: no space precedes it.
    """
    if len(text) <= maximum:
        return text
    kept = text[: maximum if beyond else maximum - len(mark)]
    return (kept.rstrip() if tidy else kept) + mark


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 file`, `2,000 files`; `many` is an irregular plural."""
    if number == 1:
        noun = one
    else:
        noun = many or f"{one}s"
    return f"{number:,} {noun}"


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
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def table(rows: Sequence[Sequence[str]], width: int, *, flexible: Sequence[int]) -> str:
    """Return rows as aligned lines that fit a width. Only flexible columns are cut, the first of them last.

    Columns that are empty in every row are left out. Each cell is one line: see `one_line`.
    """
    if not rows:
        return ""
    natural = [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]
    widths = _distribute(natural, width, flexible)
    return "\n".join(_line(row, widths) for row in rows)


def display_width(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_character_width(ord(character)) for character in text)


def fit_to_width(text: str, width: int) -> str:
    """Return a text cut or padded to a width."""
    taken = display_width(text)
    if taken <= width:
        return text + " " * (width - taken)
    kept, taken = [], 0
    for character in text:
        taken += display_width(character)
        if taken > width - 1:
            taken -= display_width(character)
            break
        kept.append(character)
    return f"{''.join(kept)}…" + " " * (width - 1 - taken)


def _character_width(character: int) -> int:
    if 0x300 <= character <= 0x36F or character in (0x200D, 0xFE0E, 0xFE0F):
        return 0
    return 2 if any(first <= character <= last for first, last in _WIDE_RANGES) else 1


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
    first, *others = shown
    missing = min(natural[first], _MIN_FLEXIBLE_WIDTH) - widths[first]
    for column in reversed(others):
        moved = min(widths[column], max(0, missing))
        widths[column] -= moved
        widths[first] += moved
        missing -= moved
    widths[first] += max(0, missing)
    return widths


def _line(row: Sequence[str], widths: list[int]) -> str:
    shown = [fit_to_width(cell, width) for cell, width in zip(row, widths, strict=True) if width]
    return _COLUMN_GAP.join(shown).rstrip()
