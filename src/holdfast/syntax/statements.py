"""Where statements begin: for each line, the first line of the innermost statement that holds it.

A statement is whatever stands directly in a block: of a function, a class, a file, an arm of a switch.
"""

from __future__ import annotations

from functools import cache

from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed, captures, grammar_of

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


@cache
def _patterns(language: Language) -> str:
    grammar = grammar_of(language)
    known = (kind for kind in sorted(BLOCKS) if grammar.id_for_node_kind(kind, True))
    return "\n".join(f"({kind} (_) @statement)" for kind in known)


def statement_starts(parsed: Parsed) -> tuple[int, ...]:
    """Return for each line the line at which its statement begins; the line itself where it is in none."""
    others = parsed.language.comments | BLOCKS
    spans = sorted(
        (node.start_point[0], -node.end_point[0])
        for node in captures(parsed, _patterns(parsed.language)).get("statement", [])
        if node.type not in others
    )
    starts: list[int] = []
    open_: list[tuple[int, int]] = []
    waiting = 0
    for row in range(parsed.source.count(b"\n") + 1):
        while open_ and open_[-1][1] < row:
            open_.pop()
        while waiting < len(spans) and spans[waiting][0] == row:
            open_.append((row, -spans[waiting][1]))
            waiting += 1
        starts.append((open_[-1][0] if open_ else row) + 1)
    return tuple(starts)
