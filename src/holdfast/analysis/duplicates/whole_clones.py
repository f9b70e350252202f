"""Whole functions and files that are equal, or differ in a consistent renaming and in literals alone.

Maximal matches (`matches.py`) miss some of them. If function f has one copy, and its first half also occurs
in a third place and its second half in a fourth, each half is a match of three fragments, and no match is the
whole of f.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from holdfast.analysis.duplicates.clone import (
    COPY_SIMILARITY_DECIMALS,
    CloneKind,
    CloneQuery,
    Fragment,
    FragmentGroup,
    group_id,
)
from holdfast.analysis.duplicates.clone_corpus import CloneCorpus
from holdfast.analysis.duplicates.code_pieces import PieceSpan, TokenLines, canonical_tokens
from holdfast.analysis.duplicates.token_clones import PLAIN_TOKENS_PER_LINE
from holdfast.syntax.lexer import TokenKind
from holdfast.syntax.record import Record

EqualSpans = list[PieceSpan]
"""Functions and files with the same number of tokens that are equal in some form."""


def add_whole_clones(
    groups: list[FragmentGroup], corpus: CloneCorpus, records: Mapping[str, Record], query: CloneQuery
) -> list[FragmentGroup]:
    """Return the groups, and those of whole functions and files that none of the groups contains."""
    equal_when_blinded = list(_equal_when_blinded(corpus, records, query.min_lines))
    result = list(groups)
    index = _FragmentIndex({span.file for spans in equal_when_blinded for span in spans})
    for group in groups:
        index.add(group)
    for group in sorted(_whole_groups(corpus, equal_when_blinded), key=lambda group: group.sort_key):
        if group.kind in query.kinds and not index.contains(group):
            index.add(group)
            result.append(group)
    return result


class _FragmentIndex:
    """Finds out whether a clone group is part of one of the groups that were added."""

    def __init__(self, files: set[str]) -> None:
        self._files = files
        """Fragments in other files are never searched for."""
        self._count = 0
        self._fragments: defaultdict[tuple[CloneKind, str], list[tuple[int, Fragment]]] = defaultdict(list)
        """The fragments of each kind in each file, with the number of their group."""

    def add(self, group: FragmentGroup) -> None:
        for fragment in group.fragments:
            if fragment.file in self._files:
                self._fragments[group.kind, fragment.file].append((self._count, fragment))
        self._count += 1

    def contains(self, group: FragmentGroup) -> bool:
        """Return whether an added group of the same kind has a fragment around every fragment of this one."""
        groups = (self._groups_around(group.kind, fragment) for fragment in group.fragments)
        return bool(set.intersection(*groups))

    def _groups_around(self, kind: CloneKind, inner: Fragment) -> set[int]:
        return {
            number
            for number, outer in self._fragments.get((kind, inner.file), ())
            if outer.start_line <= inner.start_line and outer.end_line >= inner.end_line
        }


def _equal_when_blinded(
    corpus: CloneCorpus, records: Mapping[str, Record], min_lines: int
) -> Iterator[EqualSpans]:
    """Yield the functions and files that are equal if each name and literal is replaced with its kind."""
    exact, kind = corpus.tokens.exact, corpus.tokens.kind
    blind = np.where(kind == TokenKind.SIGN, exact, kind.astype(np.uint32))
    for spans in _spans_by_length(corpus, records, min_lines):
        if len(spans) == 1:
            continue
        by_text: dict[bytes, EqualSpans] = {}
        for span in spans:
            by_text.setdefault(blind[span.start : span.end].tobytes(), []).append(span)
        yield from (equal for equal in by_text.values() if len(equal) > 1)


def _spans_by_length(
    corpus: CloneCorpus, records: Mapping[str, Record], min_lines: int
) -> Iterable[EqualSpans]:
    """Return the functions and files of each language family and length, if they are long enough."""
    by_family_and_length: dict[tuple[int, int], EqualSpans] = {}
    families = corpus.file_families.tolist()
    for file, path in enumerate(corpus.table.paths):
        lines = TokenLines(corpus, file)
        functions = records[path].functions if path in records else ()
        whole_file = (0, len(lines))
        candidates = {
            whole_file,
            *(lines.rows_between(function.line, function.end_line) for function in functions),
        }
        for rows in sorted(candidates):
            first, end = rows
            tokens = lines.token_count(rows)
            if end - first >= min_lines and tokens >= PLAIN_TOKENS_PER_LINE * min_lines:
                by_family_and_length.setdefault((families[file], tokens), []).append(lines.span(path, rows))
    return by_family_and_length.values()


def _whole_groups(corpus: CloneCorpus, equal_when_blinded: Iterable[EqualSpans]) -> Iterator[FragmentGroup]:
    for blinded_spans in equal_when_blinded:
        by_text: dict[tuple[CloneKind, bytes], EqualSpans] = {}
        for span in blinded_spans:
            exact = corpus.tokens.exact[span.start : span.end].tobytes()
            renamed = canonical_tokens(corpus.tokens, span).tobytes()
            by_text.setdefault(("exact", exact), []).append(span)
            by_text.setdefault(("renamed", renamed), []).append(span)
        file = corpus.table.paths.index(blinded_spans[0].file)
        family = corpus.family_names[int(corpus.file_families[file])]
        for (kind, text), spans in by_text.items():
            if len(spans) == 1:
                continue
            fragments = _fragments(corpus, sorted(spans))
            similarity = sum(fragment.similarity for fragment in fragments[1:]) / (len(fragments) - 1)
            if kind == "renamed" and similarity == 1:
                continue  # the exact group has the same fragments
            similarity = round(similarity, COPY_SIMILARITY_DECIMALS)
            yield FragmentGroup(group_id(f"{kind} {family} ".encode() + text), kind, similarity, fragments)


def _fragments(corpus: CloneCorpus, spans: EqualSpans) -> tuple[Fragment, ...]:
    """Return spans of equal length as fragments, with the share of tokens that equal the first span's."""
    texts = [corpus.tokens.exact[span.start : span.end] for span in spans]
    shares = [round(float((text == texts[0]).mean()), COPY_SIMILARITY_DECIMALS) for text in texts]
    return tuple(
        Fragment(span.file, span.start_line, span.end_line, span.end - span.start, share)
        for span, share in zip(spans, shares, strict=True)
    )
