"""Counts how often a pattern matches in each of many texts.

All texts are joined, and RE2 runs over them at once; bisection maps the position of a match to its text.

Contract: counts equal those of matching every text alone. No match extends from one text into the next or
depends on it: a line feed separates them, which is not a word character, and a match that includes it is
discarded and counted again in its own text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat

from holdfast.comments.search.pattern import MAX_COUNTED, Expression, Pattern, encoded, folded

_FEW = 8
"""If filters leave fewer than one in this many texts, those are matched one by one. This and the next three
values are judgements; `bench/search` measures the result (decision 0018)."""
_FREQUENT = 4
"""If more than one in this many texts contains a word, counting in all is faster than skipping between
matches."""
_WINDOW_BYTES = 8192
"""Bytes that RE2 sees at once: an expression may read all of them before it returns a short match."""
_FEW_MATCHES = 2
"""Matches in one text that are taken from the joined scan; beyond it the text is counted alone."""
_ASCII = 128


class JoinedTexts:
    """Texts joined as bytes, each followed by a line feed, with the end of each."""

    def __init__(self, data: bytes, lengths: Iterable[int]) -> None:
        self.data = data
        self.ends = list(accumulate(lengths))

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.start(number) : self.ends[number] - 1]

    def start(self, number: int) -> int:
        """Return where a text begins or, after the last, where that ends."""
        return self.ends[number - 1] if number else 0

    def bounds(self) -> tuple[Iterable[int], Iterable[int]]:
        """Return where all texts begin, and where they end."""
        return chain([0], self.ends[:-1]), map((-1).__add__, self.ends)


class Texts:
    """The same texts twice: as they are, and case-folded."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        lines = [f"{text}\n" for text in texts]
        self.plain = _joined([encoded(line) for line in lines])
        self.folded = _joined([encoded(folded(line)) for line in lines])

    @classmethod
    def chained(cls, parts: Sequence[tuple[Texts, range]]) -> Texts:
        """Join ranges of other joined texts, which is faster than joining texts again."""
        found = cls()
        found.plain = _chained([(texts.plain, numbers) for texts, numbers in parts])
        found.folded = _chained([(texts.folded, numbers) for texts, numbers in parts])
        return found


def _joined(pieces: list[bytes]) -> JoinedTexts:
    return JoinedTexts(b"".join(pieces), map(len, pieces))


def _chained(parts: Sequence[tuple[JoinedTexts, range]]) -> JoinedTexts:
    data = b"".join(
        memoryview(joined.data)[joined.start(numbers.start) : joined.start(numbers.stop)]
        for joined, numbers in parts
    )
    lengths = (joined.ends[number] - joined.start(number) for joined, numbers in parts for number in numbers)
    return JoinedTexts(data, lengths)


def match_counts(pattern: Pattern, texts: Texts, among: set[int] | None = None) -> dict[int, int]:
    """Return the number of matches in each text with any, ordered by text number.

    `among` restricts the texts that are counted.
    """
    if among is not None and len(among) * _FEW < len(texts.plain.ends):
        return _counts_one_by_one(pattern, texts, sorted(among))
    found = _counts_in_all(pattern, texts)
    return found if among is None else {number: found[number] for number in found if number in among}


def _counts_in_all(pattern: Pattern, texts: Texts) -> dict[int, int]:
    if pattern.texts:
        return _sum_of_counts([_counts_of_text(text, texts.folded) for text in pattern.texts])
    if pattern.prefix is not None:
        return _counts_of_prefix(pattern.prefix, texts.folded)
    if pattern.is_one_letter:
        return _counts_of_letters(pattern.expression, texts.plain)
    if pattern.by_line is not None:
        return _counts_by_window(pattern, pattern.by_line, texts.plain)
    return _counts_one_by_one(pattern, texts, range(len(texts.plain.ends)))


def _counts_one_by_one(pattern: Pattern, texts: Texts, numbers: Iterable[int]) -> dict[int, int]:
    """Match a pattern in some texts, one by one."""
    if pattern.text is None:
        counts = ((number, pattern.expression.count(texts.plain[number])) for number in numbers)
    else:
        needle = _needle(pattern.text)
        counts = ((number, texts.folded[number].count(needle)) for number in numbers)
    return _capped(counts)


def _capped(counts: Iterable[tuple[int, int]]) -> dict[int, int]:
    return {number: min(count, MAX_COUNTED) for number, count in counts if count}


def _needle(text: str) -> bytes:
    """Return a text as bytes; lone surrogates are preserved and match nothing."""
    return text.encode("utf-8", "surrogatepass")


def _containing(needle: bytes, joined: JoinedTexts) -> Iterator[tuple[int, int]]:
    """Yield the texts that contain a plain text, each with the number of occurrences."""
    data, ends = joined.data, joined.ends
    if any(byte not in data for byte in set(needle)):
        return
    place = data.find(needle)
    while place >= 0:
        number = bisect_right(ends, place)
        end = ends[number]
        yield number, data.count(needle, place, end - 1)
        place = data.find(needle, end)


def _counts_of_text(text: str, joined: JoinedTexts) -> dict[int, int]:
    """Count a plain text."""
    needle = _needle(text)
    most = len(joined.ends) // _FREQUENT
    found = list(islice(_containing(needle, joined), most + 1))
    if len(found) <= most:
        return _capped(found)
    return _capped(enumerate(map(joined.data.count, repeat(needle), *joined.bounds())))


def _counts_of_prefix(text: str, joined: JoinedTexts) -> dict[int, int]:
    """Count a plain text at the beginning of texts."""
    begins = map(joined.data.startswith, repeat(_needle(text)), *joined.bounds())
    return {number: 1 for number, does_begin in enumerate(begins) if does_begin}


def _sum_of_counts(counts: Sequence[dict[int, int]]) -> dict[int, int]:
    """Add the counts of texts that do not overlap."""
    found, *others = counts
    for number, count in chain.from_iterable(some.items() for some in others):
        found[number] = found.get(number, 0) + count
    return _capped((number, found[number]) for number in sorted(found)) if others else found


def _counts_of_letters(expression: Expression, joined: JoinedTexts) -> dict[int, int]:
    """Count an expression that matches single letters; in ASCII texts by deleting those letters."""
    fitting = bytes(byte for byte in range(_ASCII) if expression.count(bytes([byte])))
    texts = map(joined.__getitem__, range(len(joined.ends)))
    return _capped(
        (number, len(text) - len(text.translate(None, fitting)) if text.isascii() else expression.count(text))
        for number, text in enumerate(texts)
    )


def _counts_by_window(pattern: Pattern, by_line: Expression, joined: JoinedTexts) -> dict[int, int]:
    """Search all texts at once, window by window.

    A match counts at once unless it extends beyond its text, is empty, or may depend on the end of a line
    within its text. Texts with such a match, or with many, are counted alone.
    """
    search, data, ends = by_line.search, joined.data, joined.ends
    few = 0 if pattern.is_rough else _FEW_MATCHES
    found: dict[int, int] = {}
    place = window = size = 0
    while place < len(data):
        if place >= window:
            # Double the window until something matches, so that wasted reading stays proportional.
            size = max(2 * size, _WINDOW_BYTES)
            window = ends[min(bisect_left(ends, place + size), len(ends) - 1)]
        start, stop = search(data, place, window)[0]
        number = bisect_right(ends, start)
        if start < 0 or number == len(ends):
            place = window
            continue
        end, before = ends[number], found.get(number, 0)
        is_plain = start < stop < end and before < few
        if is_plain and not (pattern.has_line_anchors and data.find(b"\n", joined.start(number)) < end - 1):
            found[number] = before + 1
            place = stop
        else:
            if count := pattern.expression.count(joined[number]):
                found[number] = count
            place = end
        if size > _WINDOW_BYTES:
            # Continue with half the window.
            size, window = size // 4, place
    return found
