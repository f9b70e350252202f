"""JSON output without invisible characters, for people and for programs."""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.untrusted import may_have_invisible, visible, visible_in


def json_text(value: Any, *, for_a_person: bool) -> str:
    """Return `value` as a JSON document without invisible characters, ending with a line feed.

    Only what JSON requires is escaped, and members keep their order. The document is indented for a person,
    and one line for a program.
    """
    layout: dict[str, Any] = {"indent": 2} if for_a_person else {"separators": (",", ":")}
    text = json.dumps(value, ensure_ascii=False, default=str, **layout)
    if may_have_invisible(text.encode("utf-8", "surrogatepass")):
        text = json.dumps(
            visible_in(value), ensure_ascii=False, default=lambda item: visible(str(item)), **layout
        )
    return f"{text}\n"
