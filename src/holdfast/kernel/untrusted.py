"""Text written by people, agents or repositories: stored unchanged, sanitised on output.

Invisible characters can hide instructions from a person who reads the same text as an agent. `visible`
removes terminal escapes, control characters, bidirectional overrides, tag characters, zero-width characters,
and variation selectors without effect. It keeps emoji, joiners inside emoji, joiners between letters of
scripts that need them, and all visible characters.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

# The patterns are not compiled here, because most commands need none of them.
_TERMINAL_ESCAPE = (
    r"(?s:\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # a control sequence
    r"|[\]PX^_].*?(?:\x07|\x1b\\|\Z)"  # a string: a command of the system, a title, an image
    r"|[@-Z\\^_`-~]"  # two characters
    r"|[ -/]+[0-~]"  # with intermediate characters, such as the choice of a character set
    r")|\x9b[0-?]*[ -/]*[@-~])"  # a control sequence that begins with one character of eight bits
)
# Contents of character classes, without the brackets.
_INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, all but tab, line feed and carriage return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"  # zero width, bidirectional
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # interlinear, shorthand, musical controls
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags and unassigned default-ignorables
    "\ud800-\udfff"  # halves of pairs: not text, and not writable as UTF-8
)
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

_PICTOGRAPH = "[\u00a9\u00ae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_KEYCAP = "[#*0-9]"
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_LONE_RETURN = r"\r(?!\n)"
_REMOVABLE = f"[\r{_INVISIBLE}{_JOINERS}{_SELECTORS}]"
_REMOVABLE_ESCAPES = (b"\\u", b"\\r", b"\\b", b"\\f")
"""The escapes of control characters in JSON. An escaped backslash before one of these letters matches too."""
_PLAIN_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n"


# The flags of England, Scotland and Wales are spelled with tag characters, each 0xE0000 above a letter.
# Anywhere else these hide text.
_SUBDIVISIONS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in code) for code in ("gbeng", "gbsct", "gbwls")
)
_SUBDIVISION_FLAG = f"\U0001f3f4(?:{_SUBDIVISIONS})\U000e007f"


def is_visible(text: bytes) -> bool:
    """Return whether a UTF-8 text has no character that `visible` might remove; fast for plain ASCII."""
    rest = text.translate(None, _PLAIN_BYTES)  # Most texts end here, at the speed of a copy.
    return not rest or re.search(_REMOVABLE, rest.decode("utf-8", "surrogatepass")) is None


def may_have_invisible(document: bytes) -> bool:
    """Return whether a JSON document may contain invisible characters: a fast check, true when in doubt."""
    return not is_visible(document) or any(escape in document for escape in _REMOVABLE_ESCAPES)


def visible(text: str) -> str:
    """Return `text` without terminal escapes and invisible characters."""
    if is_visible(text.encode("utf-8", "surrogatepass")):
        return text
    flags = re.findall(_SUBDIVISION_FLAG, text)
    if not flags:
        return _strip(text)
    pieces = re.split(_SUBDIVISION_FLAG, text)
    return "".join(_strip(piece) + flag for piece, flag in zip(pieces, [*flags, ""], strict=True))


def _strip(text: str) -> str:
    # A carriage return without a line feed would let a terminal overwrite the start of the line.
    text = re.sub(_LONE_RETURN, "\n", re.sub(f"[{_INVISIBLE}]", "", re.sub(_TERMINAL_ESCAPE, "", text)))
    text = re.sub(f"[{_SELECTORS}]", _selector_if_effective, text)
    return re.sub(f"[{_JOINERS}]", _joiner_if_needed, text)


def visible_in(value: Any) -> Any:
    """Return JSON data without invisible characters in texts and keys."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): visible_in(item) for key, item in value.items()}
    return [visible_in(item) for item in value] if isinstance(value, list | tuple) else value


def _selector_if_effective(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()]
    selector = match.group()
    if selector in "\ufe0e\ufe0f":  # presentation as text or as emoji
        return selector if re.match(_PICTOGRAPH, before) or re.match(_KEYCAP, before) else ""
    selects_ideograph = selector <= "\ufe02" or selector >= "\U000e0100"
    return selector if selects_ideograph and re.match(_IDEOGRAPH, before) else ""


def _joiner_if_needed(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    follows_emoji = before == "\ufe0f" or re.match(_PICTOGRAPH, before)
    if match.group() == "\u200d" and follows_emoji and re.match(_PICTOGRAPH, after):
        return match.group()
    # Arabic and Indic scripts shape letters with joiners; Latin, Greek and Cyrillic never do.
    needs_joiners = "\u0600" <= before <= "\u1cff" and "\u0600" <= after <= "\u1cff"
    return match.group() if needs_joiners else ""


def _sanitise(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isprintable()):
        return visible(value)
    return value


class StoredText:
    """In the annotation of a result's field: its text is untrusted, and sanitised when it is serialised."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        schema = handler(source)
        schema["serialization"] = core_schema.plain_serializer_function_ser_schema(
            _sanitise, return_schema=core_schema.str_schema()
        )
        return schema


UntrustedText = Annotated[str, StoredText()]
"""The type of every result field with text that people, agents or repositories wrote."""
