"""What fields may hold: refused when somebody writes it, skipped when a log brings it."""

from __future__ import annotations

from holdfast.kernel.clock import first_second
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import SCALARS, SETS, STATUSES
from holdfast.milestones.log.entry import is_uuid

_OPTIONAL = ("assignee", "due", "milestone")


def is_scalar_value(field: str, value: object) -> bool:
    """Tell whether a log may set a scalar to a value."""
    if value is None:
        return field in _OPTIONAL
    if not isinstance(value, str) or field not in SCALARS:
        return False
    if field == "status":
        return value in STATUSES
    if field == "due":
        return first_second(value) is not None
    return field != "milestone" or is_uuid(value)


def is_word(value: object) -> bool:
    """Tell whether a log may hold a value in a set."""
    return isinstance(value, str) and value != "" and "\0" not in value


def checked_scalar(field: str, value: str | None) -> str | None:
    """Return a value that a scalar may be set to, or say what is wrong with it."""
    if field not in SCALARS:
        raise InvalidArguments(f"'{field}' is not a field.", hint=f"Fields: {', '.join(SCALARS)}.")
    if value is not None:
        longest = {"title": LIMITS.entity_title_characters, "description": LIMITS.entity_text_characters}
        value = _checked_text(field, value, longest.get(field, LIMITS.entity_word_characters))
    if field == "title" and not (value or "").strip():
        raise InvalidArguments("A title cannot be empty.", hint="Give it a title of a few words.")
    if field == "description" and value is None:
        return ""
    if not is_scalar_value(field, value):
        raise InvalidArguments(f"{value!a} cannot be the {field}.", hint=_HINTS[field])
    return value


def checked_words(field: str, values: list[str]) -> list[str]:
    """Return the members that a set is to gain or lose, each once."""
    if field not in SETS:
        raise InvalidArguments(f"'{field}' is not a set.", hint=f"Sets: {', '.join(SETS)}.")
    if len(values) > LIMITS.entity_set_members:
        raise InvalidArguments(f"Too many {field} at once.", hint=f"At most {LIMITS.entity_set_members}.")
    for value in values:
        _checked_text(field, value, LIMITS.entity_word_characters)
        if not value.strip() or not is_word(value):
            raise InvalidArguments(f"One of the {field} is empty or no text.", hint="Leave it out.")
        if field == "dependencies" and not is_uuid(value):
            raise InvalidArguments(f"{value!a} is not the id of an entity.", hint="Give its full id.")
    return list(dict.fromkeys(values))


def checked_body(body: str) -> str:
    """Return the text of a comment, or say what is wrong with it."""
    if not body.strip():
        raise InvalidArguments("A comment cannot be empty.", hint="Write what there is to say.")
    return _checked_text("comment", body, LIMITS.entity_text_characters)


def checked_request(request: str | None) -> str | None:
    """Return the id of a request, or say what is wrong with it."""
    return None if request is None else _checked_text("request id", request, LIMITS.request_characters)


def _checked_text(name: str, text: str, longest: int) -> str:
    if len(text) > longest:
        raise InvalidArguments(
            f"The {name} has {len(text)} characters; it may have {longest}.", hint="Shorten it."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArguments(f"The {name} is not valid text.", hint="Write it in UTF-8.") from None
    return text


_HINTS = {
    "status": f"Statuses: {', '.join(STATUSES)}.",
    "due": "Write a day as YYYY-MM-DD.",
    "milestone": "Give the full id of a milestone.",
    "assignee": "Give a name, or `Name <mail>`.",
    "title": "Give it a title of a few words.",
    "description": "Write a text.",
}
