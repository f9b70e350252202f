"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote.

Every other text in a result has the untrusted type. Members of a model are named `Model.field`.
"""

from __future__ import annotations

OUR_NAME = "a name we made: a prefix and hexadecimal digits"
OUR_TIME = "a moment, written or checked by us as RFC 3339"
LINE_RANGE = "N or N-M, checked against a pattern"
OUR_WORDS = "a sentence or name that stands in our code"

REASONS = {
    "Answer.time": OUR_TIME,
    "Drained.message_ids": OUR_NAME,
    "Finding.next_step": OUR_WORDS,
    "Finding.store": OUR_WORDS,
    "MessagePage.next_cursor": "an opaque cursor, encoded by us",
    "Remark.changed_lines": LINE_RANGE,
    "Remark.delivered_at": OUR_TIME,
    "Remark.id": OUR_NAME,
    "Remark.line": LINE_RANGE,
    "Remark.time": OUR_TIME,
    "Replied.message_id": OUR_NAME,
    "Replied.time": OUR_TIME,
    "Sent.id": OUR_NAME,
    "Sent.line": LINE_RANGE,
    "Sent.time": OUR_TIME,
}
