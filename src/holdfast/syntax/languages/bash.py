"""Shell scripts."""

from __future__ import annotations

from holdfast.syntax.languages.language import Declaration, Language

BASH = Language(
    name="bash",
    fence="bash",
    grammar=("tree_sitter_bash", "language"),
    extensions=(".sh", ".bash", ".bats", ".ksh", ".zsh"),
    exact=False,
    relatives=(".zsh", ".zshrc", ".ksh"),
    filenames=frozenset({".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"}),
    interpreters=frozenset({"sh", "bash", "dash", "ksh", "zsh", "ash"}),
    comments=frozenset({"comment"}),
    declarations=(Declaration("function_definition", "Function"),),
    atoms=frozenset({"string", "raw_string", "heredoc_body"}),
    decisions=(
        "(if_statement)",
        "(elif_clause)",
        "(for_statement)",
        "(c_style_for_statement)",
        "(while_statement)",
        '((case_item value: (_) @pattern) (#not-eq? @pattern "*"))',
        "(ternary_expression)",
        '(list ["&&" "||"] @decision)',
        '(binary_expression operator: ["&&" "||"])',
    ),
)
