"""The payload of a hook, in the words of any client.

The clients name the same facts differently, but no name means two things, so that all names are tried.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from holdfast.inbox.envelope import path_in_work_tree
from holdfast.installation.dialects import AFTER_EDIT, BEFORE_EDIT

_SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
_DIRECTORY = ("cwd", "directory")
_TOOL = ("tool_name", "toolName", "tool")
_ARGUMENTS = ("tool_input", "toolArgs", "args")
_PATH = ("file_path", "filePath", "path", "notebook_path", "files")
_BEFORE = ("old_string", "old_str", "oldString")
_AFTER = ("new_string", "new_str", "newString")
_EDIT_WORDS = ("edit", "write", "replace", "create", "patch")
"""Words in the names of the tools that edit files, in the documentation of all clients."""
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
"""Lines of a patch of the tool `apply_patch` that name a file."""
_RESTARTS = ("compact", "resume", "clear")


class Edit(NamedTuple):
    """An edit of one file, with the text that it replaces and the new one, if the payload has them."""

    file: str
    before: str = ""
    after: str = ""


class HookRequest(NamedTuple):
    """What a client says about an event."""

    event: str
    client: str
    session: str = ""
    edits: tuple[Edit, ...] = ()
    is_restart: bool = False
    """Whether the session had begun before, and its model may have forgotten what it was told."""
    is_repeated: bool = False
    """Whether a stop is the result of an earlier hook that let the model go on."""


def read_request(event: str, client: str, payload: bytes, root: str) -> HookRequest:
    """Return the request in a payload; an unreadable payload raises ValueError."""
    data = json.loads(payload) if payload.strip() else {}
    if not isinstance(data, dict):
        raise ValueError("the payload is not a JSON object")
    edits = _edits(data, root) if event in (BEFORE_EDIT, AFTER_EDIT) else ()
    loops = data.get("loop_count")
    return HookRequest(
        event,
        client,
        str(_first(data, _SESSION) or ""),
        edits,
        is_restart=data.get("source") in _RESTARTS,
        is_repeated=bool(data.get("stop_hook_active")) or (isinstance(loops, int) and loops > 0),
    )


def _edits(data: dict[str, Any], root: str) -> tuple[Edit, ...]:
    tool = str(_first(data, _TOOL) or "").lower()
    arguments = _first(data, _ARGUMENTS)
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(arguments, dict) or not any(word in tool for word in _EDIT_WORDS):
        return ()
    paths = _first(arguments, _PATH)
    before, after = (str(_first(arguments, names) or "") for names in (_BEFORE, _AFTER))
    if paths is None:
        found = _patched_files(arguments)
    else:
        found = [Edit(str(path), before, after) for path in (paths if isinstance(paths, list) else [paths])]
    current = os.path.realpath(os.path.join(root, str(_first(data, _DIRECTORY) or "")))
    placed = ((path_in_work_tree(edit.file, root, current), edit) for edit in found)
    return tuple(edit._replace(file=path) for path, edit in placed if path)


def _patched_files(arguments: dict[str, Any]) -> list[Edit]:
    """Return the files of a patch, each with the lines that it removes and adds."""
    texts = (
        " ".join(map(str, value)) if isinstance(value, list) else str(value) for value in arguments.values()
    )
    edits: list[Edit] = []
    for line in "\n".join(texts).splitlines():
        path = next((line.removeprefix(start) for start in _PATCH_LINES if line.startswith(start)), None)
        if path is not None:
            edits.append(Edit(path.strip()))
        elif edits and line[:1] == "-":
            edits[-1] = edits[-1]._replace(before=f"{edits[-1].before}{line[1:]}\n")
        elif edits and line[:1] == "+":
            edits[-1] = edits[-1]._replace(after=f"{edits[-1].after}{line[1:]}\n")
    return edits


def _first(data: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of the first name that has one."""
    return next((data[name] for name in names if data.get(name) is not None), None)
