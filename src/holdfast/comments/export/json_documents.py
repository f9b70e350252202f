"""Comments as JSON: one document with everything that is known about each, or training data line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.comments.export.records import Exported, ExportedFile, Tally
from holdfast.kernel.untrusted import visible_in


def json_pieces(files: Iterable[ExportedFile], tally: Tally) -> Iterator[str]:
    """Yield the document piece by piece."""
    yield '{"files": ['
    separator = "\n"
    for file in files:
        value = {"filePath": file.path, "comments": [_comment(one) for one in file.comments]}
        yield separator + _text(value)
        separator = ",\n"
    end = {"totalComments": tally.comments, "totalFiles": tally.files, "damaged": tally.damaged}
    yield f"\n], {_text(end)[1:]}\n"


def _comment(exported: Exported) -> dict[str, Any]:
    """Return a comment as it is stored, unknown keys included, with where it is now."""
    note = exported.note
    stored = {} if note.alias == note.id else {"storedId": note.id}
    place = {"line": note.line} | ({} if note.end_line is None else {"endLine": note.end_line})
    symbol = note.symbol
    now = {
        "orphaned": note.orphaned,
        "reason": note.reason,
        "confidence": note.location.confidence.value,
        "needsReview": note.location.needs_review,
        "symbol": symbol and {"kind": symbol.kind, "name": symbol.name, "container": symbol.container},
    }
    context = exported.context
    lines = context and {"filePath": context.path, "startLine": context.start, "lines": list(context.lines)}
    source = {} if lines is None else {"sourceContext": lines}
    return visible_in({**note.raw, "id": note.alias, **stored, **place, **now, **source})  # type: ignore[no-any-return]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def training_pieces(files: Iterable[ExportedFile]) -> Iterator[str]:
    """Yield a line for each comment."""
    for file in files:
        for exported in file.comments:
            yield json.dumps(_example(exported), ensure_ascii=False) + "\n"


def _example(exported: Exported) -> dict[str, Any]:
    return {"prompt": _prompt(exported), "completion": exported.text, "metadata": _metadata(exported)}


def _prompt(exported: Exported) -> str:
    if exported.context is not None:
        return f"Analyze this code:\n{exported.context.text}\n"
    about = f" ({exported.anchor})" if exported.anchor else ""
    return f"Analyze this code: line {exported.note.line} of {exported.path}{about}\n"


def _metadata(exported: Exported) -> dict[str, Any]:
    note = exported.note
    facts: dict[str, Any] = {
        "tag": exported.tag,
        "author": exported.author,
        "filePath": exported.path,
        "line": note.line,
    }
    if note.end_line is not None:
        facts["endLine"] = note.end_line
    facts |= {"anchor": exported.anchor, "aiMeta": exported.ai, "created": exported.created}
    return facts | ({"orphaned": True} if note.orphaned else {})
