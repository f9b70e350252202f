"""Symbols, syntax errors and statement boundaries of a text, cached by content.

Contract: the facts depend on the language and the text alone and are cached by their hash; trees are not
cached. A statement is a direct child of a block: of a function, a class, a file or a switch case.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from time import monotonic

from holdfast.kernel.call import current_call
from holdfast.syntax.languages import LANGUAGES, Language, language_of
from holdfast.syntax.parse import (
    MAX_CHARACTERS,
    MAX_PARSE_SECONDS,
    Parsed,
    ParseTooLong,
    SyntaxProblem,
    captures,
    load_grammar,
    parse,
)
from holdfast.syntax.symbols import Symbol
from holdfast.syntax.symbols import symbols as symbols_of

MAX_CACHED_TEXTS = 512
"""More files than are worked on at a time; the facts of one take some kilobytes."""
_PROMPT_SECONDS = 0.3
"""For all steps of one text in this process. A judgement: other requests, which wait meanwhile, should be
answered within half a second."""
_MAX_SECONDS = 2.0
"""For all steps of one text together. A judgement: facts serve reads that somebody waits for, and ordinary
files take milliseconds."""

BLOCKS = frozenset(
    {
        *("module", "program", "source_file", "translation_unit", "compilation_unit"),
        *("block", "statement_block", "statement_list", "statements", "compound_statement", "body_statement"),
        *("block_body", "then", "do", "do_group", "function_body", "constructor_body"),
        *("class_body", "interface_body", "enum_body", "enum_class_body", "protocol_body"),
        *("declaration_list", "field_declaration_list", "enum_variant_list", "enumerator_list"),
        *("enum_declaration_list", "enum_member_declaration_list", "accessor_list", "var_spec_list"),
        *("switch_body", "switch_block", "switch_block_statement_group", "switch_case", "switch_default"),
        *("switch_section", "case_statement", "case_item", "match_block"),
    }
)


@dataclass(frozen=True)
class Facts:
    """The symbols, syntax errors and statements of a file; `skipped` says why it could not be parsed.

    `statements` has, for each line, the first line of its statement.
    """

    language: Language | None
    symbols: tuple[Symbol, ...] = ()
    problems: tuple[SyntaxProblem, ...] = ()
    statements: tuple[int, ...] = ()
    skipped: str | None = None

    def syntax_error(self, path: str) -> SyntaxProblem | None:
        """Return the first syntax error, unless an outdated grammar may be to blame."""
        if self.language is None or not self.language.can_judge_syntax(path, bool(self.symbols)):
            return None
        return next(iter(self.problems), None)


_cache: dict[tuple[str, bytes], Facts] = {}


def facts(path: str, text: str) -> Facts:
    """Return the facts of a file; empty if its language is not supported or it takes too long to parse."""
    language = language_of(path, text)
    if language is None:
        return Facts(None)
    key = (language.name, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    cached = _cache.get(key)
    if cached is None:
        if len(_cache) >= MAX_CACHED_TEXTS:
            _cache.clear()
        cached = _cache[key] = _read_facts(language, text)
    return cached


def _read_facts(language: Language, text: str) -> Facts:
    try:
        return Facts(language, *_parse_facts(language, text, _PROMPT_SECONDS))
    except ParseTooLong as refusal:
        if len(text) > MAX_CHARACTERS:
            return Facts(language, skipped=refusal.message)
    return _read_in_process(language, text)


def _read_in_process(language: Language, text: str) -> Facts:
    """Return the facts of a text that takes long: a parser keeps all threads of its process waiting."""
    from holdfast.storage.processes.worker import (
        Request,
        Worker,
        WorkerLost,
    )  # slow to import, and rarely needed

    worker = Worker()
    try:
        request: Request = (_parse_facts_by_name, (language.name, text), {})
        return Facts(language, *worker.call(request, current_call().check))
    except ParseTooLong as refusal:
        return Facts(language, skipped=refusal.message)
    except WorkerLost:
        return Facts(language, skipped=f"The process that read it as {language.name} ended")
    finally:
        worker.end()


_ParsedFacts = tuple[tuple[Symbol, ...], tuple[SyntaxProblem, ...], tuple[int, ...]]


def _parse_facts_by_name(name: str, text: str) -> _ParsedFacts:
    language = next(language for language in LANGUAGES if language.name == name)
    return _parse_facts(language, text, _MAX_SECONDS)


def _parse_facts(language: Language, text: str, seconds: float) -> _ParsedFacts:
    """Return the symbols, problems and statements of a text, or raise `ParseTooLong` after some seconds."""
    deadline = monotonic() + seconds
    parsed = parse(language, text, seconds)
    symbols = symbols_of(parsed, deadline - monotonic())
    return symbols, parsed.problems, statement_starts(parsed, deadline - monotonic())


@cache
def _patterns(language: Language) -> str:
    grammar = load_grammar(language)
    blocks = (kind for kind in sorted(BLOCKS) if grammar.id_for_node_kind(kind, True))
    return "\n".join(f"({kind} (_) @statement)" for kind in blocks)


def statement_starts(parsed: Parsed, seconds: float = MAX_PARSE_SECONDS) -> tuple[int, ...]:
    """Return for each line the first line of its statement, or the line itself outside statements."""
    ignored = parsed.language.comments | BLOCKS
    spans = sorted(
        (node.start_point[0], -node.end_point[0])
        for node in captures(parsed, _patterns(parsed.language), seconds).get("statement", [])
        if node.type not in ignored
    )
    starts: list[int] = []
    # The first and last row of each statement around the current row, outermost first.
    enclosing: list[tuple[int, int]] = []
    next_span = 0
    for row in range(parsed.source.count(b"\n") + 1):
        while enclosing and enclosing[-1][1] < row:
            enclosing.pop()
        while next_span < len(spans) and spans[next_span][0] == row:
            enclosing.append((row, -spans[next_span][1]))
            next_span += 1
        statement_row = enclosing[-1][0] if enclosing else row
        starts.append(statement_row + 1)
    return tuple(starts)


def innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """Return the innermost symbol that contains a line."""
    end = bisect_right(symbols, line, key=lambda symbol: symbol.start_line)
    containing = (symbol for symbol in reversed(symbols[:end]) if symbol.end_line >= line)
    return next(containing, None)
