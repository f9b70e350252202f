"""Names in files that are no code: templates, settings and documents may name what code defines."""

from __future__ import annotations

import re

from holdfast.analysis.graph.imports.layout import Layout

MENTIONING = re.compile(
    r"\.(html?|xhtml|jinja2?|j2|tmpl|tpl|mustache|hbs|ejs|erb|haml|slim|vue|svelte|astro|mdx?|rst|txt|adoc"
    r"|xml|xaml|fxml|storyboard|xib|ya?ml|toml|json|jsonc|json5|cfg|ini|conf|env|properties|gradle|cmake|mk|in"
    r"|graphql|proto|sql|service|tf|nix|bzl)$|(^|/)(Procfile|Makefile|Dockerfile|Jenkinsfile|justfile|BUILD)$"
)
_LOCKS = re.compile(r"(^|/)(package-lock\.json|[^/]*lock\.(ya?ml|json|toml)|[^/]*\.lock)$|(^|/)locale/")
_PROSE = re.compile(r"\.(md|rst|txt|adoc)$")
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|\d")
"""Prose has ordinary words that are names as well; only what no dictionary has is a mention there."""
_WORD = re.compile(r"[A-Za-z_]\w+")


def mentions(layout: Layout) -> dict[str, str]:
    """Return the words of the other files that may be names, each with the first file by path that has it."""
    found, ordinary = dict[str, str](), set[str]()
    for path in sorted(layout.others):
        if MENTIONING.search(path) and not _LOCKS.search(path):
            text = layout.text(path)
            if text:
                words = set(_WORD.findall(text)).difference(found)
                if _PROSE.search(path):
                    words -= ordinary
                    ordinary.update(word for word in words if not _LIKE_CODE.search(word))
                    words -= ordinary
                found.update(dict.fromkeys(words, path))
    return found
