"""Counts how often a pattern matches in each of many texts.

All texts are joined, and RE2 runs over them at once; bisection maps the position of a match to its text.

Contract: counts equal those of matching every text alone. No match extends into the next text or depends on
it: texts are separated by a line feed, which is not a word character, and if a match includes it, the matches
of that text are counted alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat

from holdfast.comments.search.pattern import MAX_MATCHES_COUNTED, Expression, Pattern, encode, fold_case

_MIN_TEXTS_PER_SELECTED = 8
"""If filters select fewer than one in this many texts, those are matched one by one. This and the next three
values are judgements; `bench/search` measures the result (decision 0018)."""

_MIN_TEXTS_PER_HIT = 4
"""If more than one in this many texts contains a word, counting it in every text is faster than searching."""

_WINDOW_BYTES = 8192
"""Bytes that RE2 is given at least: an expression may read all of them before it returns a short match."""

_MAX_SCANNED_MATCHES = 2
"""Matches in one text that are counted in the joined search; a text with more of them is counted alone."""

_ASCII_SIZE = 128
"""Number of ASCII characters."""


class JoinedTexts:
    """Texts joined as bytes, each followed by a line feed, with the position after each line feed."""

    def __init__(self, data: bytes, lengths: Iterable[int]) -> None:
        self.data = data
        self.ends = list(accumulate(lengths))

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.start(number) : self.ends[number] - 1]

    def start(self, number: int) -> int:
        """Return where a text starts; for the number after the last text, where that ends."""
        return self.ends[number - 1] if number else 0

    def bounds(self) -> tuple[Iterable[int], Iterable[int]]:
        """Return the start positions of all texts, and their end positions without the line feed."""
        # A map of a C function: a generator would slow down the counting in every text.
        return chain([0], self.ends[:-1]), map((-1).__add__, self.ends)


class Texts:
    """The same texts twice, each time joined: unchanged and case-folded."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        lines = [f"{text}\n" for text in texts]
        self.plain = _join([encode(line) for line in lines])
        self.folded = _join([encode(fold_case(line)) for line in lines])

    @classmethod
    def concatenate(cls, parts: Sequence[tuple[Texts, range]]) -> Texts:
        """Join ranges of texts that are joined already, which is faster than joining them again."""
        result = cls()
        result.plain = _join_ranges([(texts.plain, numbers) for texts, numbers in parts])
        result.folded = _join_ranges([(texts.folded, numbers) for texts, numbers in parts])
        return result


def _join(pieces: list[bytes]) -> JoinedTexts:
    return JoinedTexts(b"".join(pieces), map(len, pieces))


def _join_ranges(parts: Sequence[tuple[JoinedTexts, range]]) -> JoinedTexts:
    data = b"".join(
        memoryview(joined.data)[joined.start(numbers.start) : joined.start(numbers.stop)]
        for joined, numbers in parts
    )
    lengths = (joined.ends[number] - joined.start(number) for joined, numbers in parts for number in numbers)
    return JoinedTexts(data, lengths)


def count_matches(pattern: Pattern, texts: Texts, selected: set[int] | None = None) -> dict[int, int]:
    """Return the number of matches by text number, in order, without texts that have none.

    `selected` restricts the texts that are counted.
    """
    if selected is not None and len(selected) * _MIN_TEXTS_PER_SELECTED < len(texts.plain.ends):
        return _count_one_by_one(pattern, texts, sorted(selected))
    counts = _count_in_all(pattern, texts)
    if selected is None:
        return counts
    return {number: count for number, count in counts.items() if number in selected}


def _count_in_all(pattern: Pattern, texts: Texts) -> dict[int, int]:
    if pattern.texts:
        return _add_counts([_count_plain_text(text, texts.folded) for text in pattern.texts])
    if pattern.prefix is not None:
        return _count_prefix(pattern.prefix, texts.folded)
    if pattern.is_one_character:
        return _count_single_characters(pattern.expression, texts.plain)
    if pattern.by_line is not None:
        return _count_by_window(pattern, pattern.by_line, texts.plain)
    return _count_one_by_one(pattern, texts, range(len(texts.plain.ends)))


def _count_one_by_one(pattern: Pattern, texts: Texts, numbers: Iterable[int]) -> dict[int, int]:
    if pattern.text is None:
        counts = ((number, pattern.expression.count(texts.plain[number])) for number in numbers)
    else:
        needle = _encode_needle(pattern.text)
        counts = ((number, texts.folded[number].count(needle)) for number in numbers)
    return _cap_counts(counts)


def _cap_counts(counts: Iterable[tuple[int, int]]) -> dict[int, int]:
    return {number: min(count, MAX_MATCHES_COUNTED) for number, count in counts if count}


def _encode_needle(text: str) -> bytes:
    """Return a text as bytes; lone surrogates are preserved and match nothing."""
    return text.encode("utf-8", "surrogatepass")


def _texts_containing(needle: bytes, joined: JoinedTexts) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the texts that contain a plain text, each with the number of occurrences."""
    data, ends = joined.data, joined.ends
    if any(byte not in data for byte in set(needle)):
        return
    position = data.find(needle)
    while position >= 0:
        number = bisect_right(ends, position)
        end = ends[number]
        yield number, data.count(needle, position, end - 1)
        position = data.find(needle, end)


def _count_plain_text(text: str, joined: JoinedTexts) -> dict[int, int]:
    """Count a plain text: from match to match if few texts contain it, else in every text."""
    needle = _encode_needle(text)
    max_hits = len(joined.ends) // _MIN_TEXTS_PER_HIT
    counts = list(islice(_texts_containing(needle, joined), max_hits + 1))
    if len(counts) <= max_hits:
        return _cap_counts(counts)
    return _cap_counts(enumerate(map(joined.data.count, repeat(needle), *joined.bounds())))


def _count_prefix(text: str, joined: JoinedTexts) -> dict[int, int]:
    has_prefix = map(joined.data.startswith, repeat(_encode_needle(text)), *joined.bounds())
    return {number: 1 for number, is_match in enumerate(has_prefix) if is_match}


def _add_counts(counts: Sequence[dict[int, int]]) -> dict[int, int]:
    """Add up the counts of several plain texts that cannot overlap."""
    total, *others = counts
    if not others:
        return total
    for other in others:
        for number, count in other.items():
            total[number] = total.get(number, 0) + count
    return _cap_counts((number, total[number]) for number in sorted(total))


def _count_single_characters(expression: Expression, joined: JoinedTexts) -> dict[int, int]:
    """Count an expression that matches single characters; in ASCII texts by deleting those characters."""
    matching = bytes(byte for byte in range(_ASCII_SIZE) if expression.count(bytes([byte])))
    texts = map(joined.__getitem__, range(len(joined.ends)))
    return _cap_counts(
        (
            number,
            len(text) - len(text.translate(None, matching)) if text.isascii() else expression.count(text),
        )
        for number, text in enumerate(texts)
    )


def _count_by_window(pattern: Pattern, by_line: Expression, joined: JoinedTexts) -> dict[int, int]:
    """Search all texts at once, window by window.

    A match is counted directly unless it extends beyond its text, is empty, or may depend on a line end
    within its text. Texts with such a match, or with many matches, are counted alone.
    """
    data, ends = joined.data, joined.ends
    max_scanned = 0 if pattern.is_rough else _MAX_SCANNED_MATCHES
    counts: dict[int, int] = {}
    position = window_end = 0
    window_bytes = _WINDOW_BYTES  # doubled until something matches: what is read in vain stays proportional
    while position < len(data):
        if position >= window_end:  # a window ends with a text
            window_end = ends[min(bisect_left(ends, position + window_bytes), len(ends) - 1)]
        match_start, match_end = by_line.search(data, position, window_end)[0]
        number = bisect_right(ends, match_start)
        if match_start < 0 or number == len(ends):
            position = window_end
            window_bytes *= 2
            continue
        text_start, text_end = joined.start(number), ends[number]
        has_inner_line_end = pattern.has_line_anchors and data.find(b"\n", text_start) < text_end - 1
        is_certain = match_start < match_end < text_end and not has_inner_line_end
        if is_certain and counts.get(number, 0) < max_scanned:
            counts[number] = counts.get(number, 0) + 1
            position = match_end
        else:
            if count := pattern.expression.count(joined[number]):
                counts[number] = count
            position = text_end
        if window_bytes > _WINDOW_BYTES:
            window_bytes //= 2
            window_end = position  # continue with a smaller window
    return counts
