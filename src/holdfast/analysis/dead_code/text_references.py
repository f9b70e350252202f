"""Words in templates, settings and documents that may refer to definitions in code.

A template with `{{ user.full_name }}` keeps a method `full_name` from being reported with high confidence.
"""

from __future__ import annotations

import re

from holdfast.analysis.graph.imports.layout import Layout

_REFERRING_FILES = re.compile(
    r"\.(html?|xhtml|jinja2?|j2|tmpl|tpl|mustache|hbs|ejs|erb|haml|slim|vue|svelte|astro|mdx?|rst|txt|adoc"
    r"|xml|xaml|fxml|storyboard|xib|ya?ml|toml|json|jsonc|json5|cfg|ini|conf|env|properties|gradle|cmake|mk|in"
    r"|graphql|proto|sql|service|tf|nix|bzl)$|(^|/)(Procfile|Makefile|Dockerfile|Jenkinsfile|justfile|BUILD)$"
)
_EXCLUDED_FILES = re.compile(
    r"(^|/)(package-lock\.json|[^/]*lock\.(ya?ml|json|toml)|[^/]*\.lock)$|(^|/)locale/"
)
_PROSE_FILES = re.compile(r"\.(md|rst|txt|adoc)$")
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|\d")
"""Words in prose that may be names; other words are ordinary words, which may equal a name by chance."""
_WORD = re.compile(r"[A-Za-z_]\w+")


def text_references(layout: Layout) -> dict[str, str]:
    """Return the words of non-code files that may be names, each with the first file that contains it."""
    references: dict[str, str] = {}
    for path in sorted(layout.others):
        if not _REFERRING_FILES.search(path) or _EXCLUDED_FILES.search(path):
            continue
        words = set(_WORD.findall(layout.text(path) or "")).difference(references)
        if _PROSE_FILES.search(path):
            words = {word for word in words if _LOOKS_LIKE_CODE.search(word)}
        references.update(dict.fromkeys(words, path))
    return references
