"""Comments as Markdown, for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdfast.comments.export.records import Exported, ExportedFile, Tally
from holdfast.comments.text import TAGS, UNTAGGED
from holdfast.kernel.untrusted import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_FENCES = re.compile(r"`{3,}")


def markdown_pieces(files: Iterable[ExportedFile], tally: Tally) -> Iterator[str]:
    """Yield the document piece by piece."""
    yield "# Comments\n"
    for file in files:
        yield f"\n## {inline(file.path)}\n"
        language = _fence_language(file.path)
        for tag in _tags(file):
            yield f"\n### {inline(tag)} Comments\n"
            yield from (_entry(one, language) for one in file.comments if (one.tag or UNTAGGED) == tag)
    if not tally.comments:
        yield "\nThere are none.\n"
    for path in tally.damaged:
        yield f"\nThe comments of {inline(path)} could not be read.\n"


def _tags(file: ExportedFile) -> list[str]:
    found = {one.tag or UNTAGGED for one in file.comments}
    return [tag for tag in TAGS if tag in found] + sorted(found - set(TAGS))


def _entry(exported: Exported, language: str) -> str:
    note = exported.note
    end = "" if note.end_line is None else f"-{note.end_line}"
    facts = [
        f"**Line {note.line}{end}**",
        f"`{note.alias}`",
        inline(exported.author),
        inline(exported.created),
    ]
    if exported.anchor:
        facts.append(inline(exported.anchor))
    if note.orphaned:
        facts.append(f"orphaned: {(note.reason or 'unknown').replace('_', ' ')}")
    if note.status != "open":
        facts.append(note.status)
    body = "\n".join(f"> {line}".rstrip() for line in exported.text.split("\n"))
    replies = "".join(_reply(one) for one in note.replies)
    return f"\n{' · '.join(fact for fact in facts if fact)}\n\n{body}\n{replies}{_code(exported, language)}"


def _reply(reply: Mapping[str, Any]) -> str:
    author, text = (visible(str(reply.get(name, ""))) for name in ("author", "text"))
    body = "\n".join(f">> {line}".rstrip() for line in f"{inline(author)}: {text}".split("\n"))
    return f">\n{body}\n"


def _code(exported: Exported, language: str) -> str:
    if exported.context is None:
        return ""
    return "\n" + fenced(exported.context.text, language) + "\n"


def fenced(code: str, language: str) -> str:
    """Return code in a fence that it cannot close."""
    longest = max((len(found) for found in _FENCES.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _fence_language(path: str) -> str:
    from holdfast.syntax.languages import language_of

    language = language_of(path)
    return "" if language is None else language.fence


def inline(text: str) -> str:
    """Return text of one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
