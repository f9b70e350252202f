"""Patterns of the literals of each kind, from which the lexers of `halstead` and `lexer` are composed.

Contract: an unclosed literal extends to the end of its line or of the text. Possessive quantifiers and fixed
bounds keep the time linear in the text.
"""

from __future__ import annotations

LITERALS = {
    "double": rb'"(?:[^"\\\n]++|\\[\s\S])*+"?+',
    "single": rb"'(?:[^'\\\n]++|\\[\s\S])*+'?+",
    "raw_single": rb"'[^']*+'",
    "character": rb"'(?:[^'\\\n]|\\[^\n]{1,10}?)'",
    "triple": rb'"""[\s\S]*?(?:"""|\Z)',
    "backtick": rb"`(?:[^`\\]++|\\[\s\S])*+`?+",
    "raw_backtick": rb"`[^`]*+`",
    "verbatim": rb'\$?@\$?"(?:[^"]++|"")*+"?+',
    "rust": (
        rb'b?r"[^"]*+"'  # r"…"
        rb'|b?r#"[\s\S]*?(?:"#|\Z)'  # r#"…"#
        rb'|b?r##"[\s\S]*?(?:"##|\Z)'  # r##"…"##
    ),
    "cpp": rb'R"\([\s\S]*?(?:\)"|\Z)',
    "regex": (
        # What precedes it: after an operand, a slash is a division.
        rb"(?:(?<=[=(,:;!&|?{}\[\n])|(?<=[=(,:;!&|?{}\[] )|(?<=return ))"
        rb"/(?![/*])"
        # At most 500 parts, and 200 characters in a class: longer text between slashes is hardly a literal.
        rb"(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+"
        rb"/\w*"
    ),
    "python": (
        rb"[rRbBuUfFtT]{0,2}+"
        rb"(?:\"(?:"
        rb"\"\"(?:[^\\\"]++|\\[\s\S]|\"(?!\"\"))*+(?:\"\"\")?+"  # three quotation marks
        rb"|(?:[^\"\\\n]++|\\[\s\S])*+\"?+)"  # one
        rb"|'(?:"
        rb"''(?:[^\\']++|\\[\s\S]|'(?!''))*+(?:''')?+"  # three apostrophes
        rb"|(?:[^'\\\n]++|\\[\s\S])*+'?+))"  # one
    ),
    "heredoc": (
        rb"<<[-~<]?+[\"']?+(?P<tag>[A-Z_]\w*+)[\"']?+"
        rb"(?![^\n]{0,80}\)\))"  # else it is a shift, as in `((1 << N))`
        rb"[^\n]*+\n"
        rb"[\s\S]*?(?:^[ \t]*+(?P=tag)\b|\Z)"
    ),
}
"""By the names in `Flow.string_styles`."""
