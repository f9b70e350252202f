"""How tasks are called: `TP-12` for people, and a name for ever that sorts by the time it was made."""

from __future__ import annotations

import re
import secrets
from datetime import datetime

from holdfast.kernel.errors import InvalidArguments

PREFIX = "TP-"
UID_CHARACTERS = 26

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SPELLED = re.compile(r"(?:tp-?)?0*([1-9][0-9]{0,8})", re.IGNORECASE)
_UID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_SLUG = re.compile(r"[^a-z0-9]+")
WORKSPACE_PATTERN = r"[a-z0-9][a-z0-9-]{0,62}"
_WORKSPACE = re.compile(WORKSPACE_PATTERN)


def new_uid(moment: datetime) -> str:
    """Return a ULID: 48 bits of time, 80 of chance, in letters that cannot be misread."""
    number = int(moment.timestamp() * 1000) << 80 | secrets.randbits(80)
    return "".join(_LETTERS[number >> shift & 31] for shift in range(125, -1, -5))


def is_uid(text: str) -> bool:
    """Tell whether a text has the form of a name for ever."""
    return _UID.fullmatch(text) is not None


def task_id(number: int) -> str:
    """Return what people call the task of that number."""
    return f"{PREFIX}{number}"


def task_number(text: str) -> int:
    """Return the number of a task, however it is spelled: `TP-12`, `tp-012`, `12`."""
    found = _SPELLED.fullmatch(text.strip())
    if found is None:
        raise InvalidArguments(f'"{text[:40]}" is not the id of a task.', hint="Ids look like TP-12.")
    return int(found[1])


def new_workspace_id(name: str) -> str:
    """Return a new id for a workspace that begins with its name."""
    slug = _SLUG.sub("-", name.lower()).strip("-")[:40].strip("-")
    return f"{slug or 'workspace'}-{secrets.token_hex(3)}"


def is_workspace_id(text: str) -> bool:
    """Tell whether a text has the form of a workspace's id."""
    return _WORKSPACE.fullmatch(text) is not None


def new_session_id() -> str:
    """Return a handle for a session."""
    return f"s_{secrets.token_hex(10)}"


def new_token() -> str:
    """Return the proof that a claim is held."""
    return secrets.token_hex(8)
