"""Comments as training data: one JSON object with prompt and completion on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.comments.export.records import Exported, ExportedFile


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
