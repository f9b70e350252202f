"""Whole functions and files that are equal, or differ in a consistent renaming and in literals alone.

Maximal matches (`matches.py`) miss some of them. If function f has one copy, and its first half also occurs
in a third place and its second half in a fourth, each half is a match of three fragments, and no match is the
whole of f.

Equal files that are too short for a clone, or mostly tables, are leads (`semantic`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
from holdfast.analysis.duplicates.clone_corpus import SIGN, CloneCorpus, RowMark, blinded, kinds_of
from holdfast.analysis.duplicates.code_pieces import PieceSpan, TokenLines, canonical_tokens
from holdfast.analysis.duplicates.statements import Statements
from holdfast.analysis.duplicates.token_clones import MIN_EQUAL_VALUES
from holdfast.syntax.record import Record

_HEAD_TOKENS = 32
"""Tokens that are compared before whole files are: a judgement, as few files have them in common."""
EqualSpans = list[PieceSpan]
"""Functions and files with the same number of tokens that are equal in some form."""


def add_whole_clones(
    groups: list[FragmentGroup], statements: Statements, records: Mapping[str, Record], query: CloneQuery
) -> list[FragmentGroup]:
    """Return the groups, and those of whole functions and files that none of the groups contains."""
    equal_when_blinded = list(_equal_when_blinded(statements, records, query))
    result = list(groups)
    index = _FragmentIndex({span.file for spans in equal_when_blinded for span in spans})
    for group in groups:
        index.add(group)
    for group in sorted(
        _whole_groups(statements, equal_when_blinded, query), key=lambda group: group.sort_key
    ):
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
    statements: Statements, records: Mapping[str, Record], query: CloneQuery
) -> Iterator[EqualSpans]:
    """Yield the functions and files that are equal if each name and literal is replaced with its kind."""
    tokens = statements.corpus.tokens
    for spans in _spans_by_length(statements, records, query):
        if len(spans) == 1:
            continue
        by_text: dict[bytes, EqualSpans] = {}
        for span in spans:
            by_text.setdefault(blinded(tokens[span.start : span.end]).tobytes(), []).append(span)
        yield from (equal for equal in by_text.values() if len(equal) > 1)


def _spans_by_length(
    statements: Statements, records: Mapping[str, Record], query: CloneQuery
) -> Iterable[EqualSpans]:
    """Return the functions and files of each language family and length, if they are long enough."""
    by_family_and_length: dict[tuple[str, int], EqualSpans] = {}
    corpus = statements.corpus
    may_be_equal = _files_of_equal_length(statements, query)
    for file, path in enumerate(corpus.paths):
        if not records and not may_be_equal[file]:
            continue
        lines = TokenLines(corpus, file)
        functions = records[path].functions if path in records else ()
        whole_file = (lines.leading_imports, len(lines))
        candidates = {
            whole_file,
            *(lines.rows_between(function.line, function.end_line) for function in functions),
        }
        for rows in sorted(candidates):
            corpus_rows = lines.rows_of_corpus(rows)
            is_lead = (
                rows == whole_file
                and "semantic" in query.kinds
                and len(lines) - lines.leading_imports >= query.min_lines
                and statements.running_rows(*corpus_rows) > 0
            )
            if is_lead or statements.are_substantial(*corpus_rows, query):
                tokens = lines.token_count(rows)
                by_family_and_length.setdefault((corpus.families[file], tokens), []).append(
                    lines.span(path, rows)
                )
    return by_family_and_length.values()


def _files_of_equal_length(statements: Statements, query: CloneQuery) -> list[bool]:
    """Return for each file whether another one that is long enough may be equal, apart from its imports."""
    corpus = statements.corpus
    if not corpus.size:
        return [False] * len(corpus.paths)
    is_import = corpus.rows["marks"] & RowMark.IMPORT != 0
    # The first row that is no import, at or after each row.
    numbers = np.where(is_import, len(is_import), np.arange(len(is_import)))
    following = np.append(np.minimum.accumulate(numbers[::-1])[::-1], len(is_import))
    ends = corpus.file_rows[1:]
    firsts = np.minimum(following[corpus.file_rows[:-1]], ends)
    tokens = statements.starts[ends] - statements.starts[firsts]
    if "semantic" not in query.kinds:
        tokens = np.where(statements.are_substantial(firsts, ends, query), tokens, -1)
    positions = statements.starts[firsts][:, None] + np.arange(_HEAD_TOKENS)
    last = np.maximum(statements.starts[ends] - 1, 0)[:, None]
    heads = map(bytes, blinded(corpus.tokens[np.minimum(positions, last)]))
    known = list(zip(corpus.families, tokens.tolist(), heads, strict=True))
    counts = Counter(known)
    return [counts[each] > 1 and each[1] > 0 for each in known]


def _whole_groups(
    statements: Statements, equal_when_blinded: Iterable[EqualSpans], query: CloneQuery
) -> Iterator[FragmentGroup]:
    corpus = statements.corpus
    for blinded_spans in equal_when_blinded:
        first = blinded_spans[0]
        rows = statements.rows_of_tokens(first.start, first.end)
        is_lead = not statements.are_substantial(*rows, query)
        (is_varied,) = statements.are_varied(*np.array(rows).reshape(2, 1))
        by_text: dict[tuple[CloneKind, bytes], EqualSpans] = {}
        for span in blinded_spans:
            exact = corpus.tokens[span.start : span.end].tobytes()
            renamed = canonical_tokens(corpus.tokens, span).tobytes()
            if is_lead:
                by_text.setdefault(("semantic", renamed), []).append(span)
                continue
            by_text.setdefault(("exact", exact), []).append(span)
            by_text.setdefault(("renamed", renamed), []).append(span)
        family = corpus.families[corpus.paths.index(first.file)]
        for (kind, text), spans in by_text.items():
            if len(spans) == 1:
                continue
            fragments = _fragments(corpus, sorted(spans))
            similarity = sum(fragment.similarity for fragment in fragments[1:]) / (len(fragments) - 1)
            if kind == "renamed" and similarity == 1:
                continue  # the exact group has the same fragments
            if kind == "renamed" and not is_varied and _equal_values(corpus, spans) < MIN_EQUAL_VALUES:
                continue
            similarity = round(similarity, COPY_SIMILARITY_DECIMALS)
            yield FragmentGroup(group_id(f"{kind} {family} ".encode() + text), kind, similarity, fragments)


def _equal_values(corpus: CloneCorpus, spans: EqualSpans) -> float:
    """Return the mean share of names and literals of spans that equal the first span's."""
    tokens, first = corpus.tokens, min(spans)
    first_tokens = tokens[first.start : first.end]
    is_value = kinds_of(first_tokens) != SIGN
    texts = [tokens[span.start : span.end][is_value] for span in spans if span != first]
    return float(np.mean([text == first_tokens[is_value] for text in texts]))


def _fragments(corpus: CloneCorpus, spans: EqualSpans) -> tuple[Fragment, ...]:
    """Return spans of equal length as fragments, with the share of tokens that equal the first span's."""
    texts = [corpus.tokens[span.start : span.end] for span in spans]
    shares = [round(float((text == texts[0]).mean()), COPY_SIMILARITY_DECIMALS) for text in texts]
    return tuple(
        Fragment(span.file, span.start_line, span.end_line, span.end - span.start, share)
        for span, share in zip(spans, shares, strict=True)
    )
