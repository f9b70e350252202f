"""Text for people: shortened, put on one line, fitted to columns of a terminal, laid out as a table.

Standard library only, because quick commands use it too.

    shorten("A long title", 8)  # "A long …"
    table([("8903a9b6", "open", "A title", "bug, area-3")], width=40, flexible=(2, 3))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER_DIGITS = 18
"""The most that always fit into a 64-bit integer, which is what SQLite stores."""
_GAP = "  "
_MINIMUM = 12
"""The width that the first flexible column keeps on the narrowest terminal: a judgement, two short words."""
_WIDE = (
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

The exact tables take too long to load for a command that runs all day.
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
    """Return a count with its noun: `1 file`, `2,000 files`; `many` is the plural if it does not end in s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def parse_natural(text: str) -> int | None:
    """Return the number that a text of digits spells; None for any other text, or too many digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _NUMBER_DIGITS else None


def one_line(text: str, *, keep_spaces: bool = False) -> str:
    """Return stored text on one line without invisible characters, its white space collapsed unless kept."""
    if not (text.isascii() and text.isprintable()):
        from holdfast.kernel.untrusted import visible  # Imports modules that most texts do not need.

        text = visible(text)
    return " ".join(text.splitlines() if keep_spaces else text.split())


def printable_path(path: str) -> str:
    """Return a path with undecodable bytes and unprintable characters escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def table(rows: Sequence[Sequence[str]], width: int, *, flexible: Sequence[int]) -> str:
    """Return rows as aligned lines. Only flexible columns are cut, the first of them last.

    Columns that are empty in every row are left out. Each cell is one line: see `one_line`.
    """
    if not rows:
        return ""
    wanted = [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]
    widths = _shared(wanted, width, flexible)
    return "\n".join(_line(row, widths) for row in rows)


def display_width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
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
    return 2 if any(first <= character <= last for first, last in _WIDE) else 1


def _shared(natural: list[int], width: int, flexible: Sequence[int]) -> list[int]:
    """Return widths: the narrowest flexible columns get what they need, the others share the rest."""
    widths = [0 if column in flexible else wanted for column, wanted in enumerate(natural)]
    shown = [column for column in flexible if natural[column]]
    taken = [wanted for wanted in widths if wanted]
    left = width - sum(taken) - len(_GAP) * (len(taken) + len(shown) - 1)
    for position, column in enumerate(sorted(shown, key=lambda column: natural[column])):
        widths[column] = max(0, min(natural[column], left // (len(shown) - position)))
        left -= widths[column]
    return _at_least(widths, natural, shown)


def _at_least(widths: list[int], natural: list[int], shown: list[int]) -> list[int]:
    """Widen the first flexible column to its minimum, at the cost of those after it."""
    if not shown:
        return widths
    first, *others = shown
    missing = min(natural[first], _MINIMUM) - widths[first]
    for column in reversed(others):
        given = min(widths[column], max(0, missing))
        widths[column] -= given
        widths[first] += given
        missing -= given
    widths[first] += max(0, missing)
    return widths


def _line(row: Sequence[str], widths: list[int]) -> str:
    shown = [fit_to_width(cell, width) for cell, width in zip(row, widths, strict=True) if width]
    return _GAP.join(shown).rstrip()
