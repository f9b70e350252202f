"""Whole functions and files that are equal, or differ in a consistent renaming and in literals alone.

Maximal matches (`matches.py`) miss some of them. If function f has one copy, and its first half also occurs
in a third place and its second half in a fourth, each half is a match of three fragments, and no match is the
whole of f.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

import numpy as np

from holdfast.analysis.duplicates.clone import CloneClass, CloneKind, CloneQuery, Fragment
from holdfast.analysis.duplicates.code_pieces import PieceSpan, TokenLines, canonical_tokens
from holdfast.analysis.duplicates.windows import CloneCorpus
from holdfast.syntax.lexer import TokenKind
from holdfast.syntax.record import Record

_MIN_TOKENS_PER_LINE = 6
"""The fewest tokens per requested line, as for renamed clones without keywords (`token_clones.py`)."""
_SIMILARITY_DECIMALS = 3

SpanGroup = list[PieceSpan]


def add_whole_clones(
    known: list[CloneClass], corpus: CloneCorpus, records: Mapping[str, Record], query: CloneQuery
) -> list[CloneClass]:
    """Return the known classes, and those of whole functions and files that no known class contains."""
    groups = list(_equal_spans(corpus, records, query.min_lines))
    result = list(known)
    index = _FragmentIndex({span.file for group in groups for span in group})
    for clone in known:
        index.add(clone)
    for clone in sorted(_clone_classes(corpus, groups), key=lambda clone: clone.sort_key):
        if clone.kind in query.kinds and not index.contains(clone):
            index.add(clone)
            result.append(clone)
    return result


class _FragmentIndex:
    """Finds out whether a class of clones is part of another one, among the classes that were added."""

    def __init__(self, files: set[str]) -> None:
        self._files = files
        """Fragments in other files are never searched for."""
        self._count = 0
        self._fragments: defaultdict[tuple[CloneKind, str], list[tuple[int, Fragment]]] = defaultdict(list)
        """The fragments of each kind in each file, with the number of their class."""

    def add(self, clone: CloneClass) -> None:
        """Add the fragments of a class."""
        for fragment in clone.fragments:
            if fragment.file in self._files:
                self._fragments[clone.kind, fragment.file].append((self._count, fragment))
        self._count += 1

    def contains(self, clone: CloneClass) -> bool:
        """Return whether one class of the same kind has a fragment around every fragment of this one."""
        classes = (self._classes_around(clone.kind, fragment) for fragment in clone.fragments)
        return bool(set.intersection(*classes))

    def _classes_around(self, kind: CloneKind, inner: Fragment) -> set[int]:
        """Return the numbers of the classes with a fragment that contains the lines of this one."""
        return {
            number
            for number, outer in self._fragments.get((kind, inner.file), ())
            if outer.start_line <= inner.start_line and outer.end_line >= inner.end_line
        }


def _equal_spans(corpus: CloneCorpus, records: Mapping[str, Record], min_lines: int) -> Iterator[SpanGroup]:
    """Yield groups of functions and files that are equal with names and literals blinded."""
    exact, kind = corpus.tokens.exact, corpus.tokens.kind
    blind = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
    for spans in _spans_by_length(corpus, records, min_lines):
        if len(spans) == 1:
            continue
        by_text: dict[bytes, SpanGroup] = {}
        for span in spans:
            by_text.setdefault(blind[span.start : span.end].tobytes(), []).append(span)
        yield from (group for group in by_text.values() if len(group) > 1)


def _spans_by_length(
    corpus: CloneCorpus, records: Mapping[str, Record], min_lines: int
) -> Iterable[SpanGroup]:
    """Return the functions and files of each language family and length, if they are long enough."""
    groups: dict[tuple[int, int], SpanGroup] = {}
    families = corpus.file_families.tolist()
    for file, path in enumerate(corpus.table.paths):
        lines = TokenLines(corpus, file)
        functions = records[path].functions if path in records else ()
        whole_file = (0, len(lines))
        candidates = {whole_file, *(lines.rows_between(each.line, each.end_line) for each in functions)}
        for rows in sorted(candidates):
            first, end = rows
            tokens = lines.token_count(rows)
            if end - first >= min_lines and tokens >= _MIN_TOKENS_PER_LINE * min_lines:
                groups.setdefault((families[file], tokens), []).append(lines.span(path, rows))
    return groups.values()


def _clone_classes(corpus: CloneCorpus, groups: Iterable[SpanGroup]) -> Iterator[CloneClass]:
    """Yield the exact and renamed classes within groups of spans that are equal when blinded."""
    for group in groups:
        by_text: dict[tuple[CloneKind, bytes], SpanGroup] = {}
        for span in group:
            exact = corpus.tokens.exact[span.start : span.end].tobytes()
            renamed = canonical_tokens(corpus.tokens, span).tobytes()
            by_text.setdefault(("exact", exact), []).append(span)
            by_text.setdefault(("renamed", renamed), []).append(span)
        file = corpus.table.paths.index(group[0].file)
        family = corpus.family_names[int(corpus.file_families[file])]
        for (kind, text), spans in by_text.items():
            if len(spans) == 1:
                continue
            fragments = _fragments(corpus, sorted(spans))
            similarity = sum(each.similarity for each in fragments[1:]) / (len(fragments) - 1)
            if kind == "renamed" and similarity == 1:
                continue  # the exact class has the same fragments
            digest = blake2b(f"{kind} {family} ".encode() + text, digest_size=8).hexdigest()
            yield CloneClass(digest, kind, round(similarity, _SIMILARITY_DECIMALS), fragments)


def _fragments(corpus: CloneCorpus, spans: SpanGroup) -> tuple[Fragment, ...]:
    """Return spans of equal length as fragments, with the share of tokens that equal the first span's."""
    texts = [corpus.tokens.exact[span.start : span.end] for span in spans]
    shares = [round(float((text == texts[0]).mean()), _SIMILARITY_DECIMALS) for text in texts]
    return tuple(
        Fragment(span.file, span.start_line, span.end_line, span.end - span.start, share)
        for span, share in zip(spans, shares, strict=True)
    )
