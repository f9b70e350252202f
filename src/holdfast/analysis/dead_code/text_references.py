"""Words in templates, settings and documents that may refer to definitions in code.

A template with `{{ user.full_name }}` keeps a method `full_name` from being reported with high confidence.
"""

from __future__ import annotations

import re

from holdfast.analysis.graph.imports.layout import Layout

_REFERRING = re.compile(
    r"\.(html?|xhtml|jinja2?|j2|tmpl|tpl|mustache|hbs|ejs|erb|haml|slim|vue|svelte|astro|mdx?|rst|txt|adoc"
    r"|xml|xaml|fxml|storyboard|xib|ya?ml|toml|json|jsonc|json5|cfg|ini|conf|env|properties|gradle|cmake|mk|in"
    r"|graphql|proto|sql|service|tf|nix|bzl)$|(^|/)(Procfile|Makefile|Dockerfile|Jenkinsfile|justfile|BUILD)$"
)
_EXCLUDED = re.compile(r"(^|/)(package-lock\.json|[^/]*lock\.(ya?ml|json|toml)|[^/]*\.lock)$|(^|/)locale/")
_PROSE = re.compile(r"\.(md|rst|txt|adoc)$")
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|\d")
"""In prose only words that no dictionary has count, because an ordinary word may be a name by chance."""
_WORD = re.compile(r"[A-Za-z_]\w+")


def text_references(layout: Layout) -> dict[str, str]:
    """Return the words of non-code files that may be names, each with the first file that contains it."""
    found, ordinary = dict[str, str](), set[str]()
    for path in sorted(layout.others):
        if _REFERRING.search(path) and not _EXCLUDED.search(path):
            text = layout.text(path)
            if text:
                words = set(_WORD.findall(text)).difference(found)
                if _PROSE.search(path):
                    words -= ordinary
                    ordinary.update(word for word in words if not _LOOKS_LIKE_CODE.search(word))
                    words -= ordinary
                found.update(dict.fromkeys(words, path))
    return found
