"""Comments as one JSON document, with everything that is known about each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.comments.export.records import Exported, ExportedFile, Tally, cleaned


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
        "confidence": note.placement.confidence.value,
        "needsReview": note.placement.needs_review,
        "symbol": symbol and {"kind": symbol.kind, "name": symbol.name, "container": symbol.container},
    }
    context = exported.context
    source = {} if context is None else {"sourceContext": _context(exported)}
    return cleaned({**note.raw, "id": note.alias, **stored, **place, **now, **source})  # type: ignore[no-any-return]


def _context(exported: Exported) -> dict[str, Any]:
    context = exported.context
    assert context is not None
    return {"filePath": context.path, "startLine": context.start, "lines": list(context.lines)}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
