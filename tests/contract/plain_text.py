"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote.

Every other text in a result has the untrusted type. Members of a model are named `Model.field`.
"""

from __future__ import annotations

OUR_NAME = "a name we made: a prefix and hexadecimal digits"
OUR_TIME = "a moment, written or checked by us as RFC 3339"
LINE_RANGE = "N or N-M, checked against a pattern"
OUR_SUM = "hexadecimal digits of a checksum"
ADDRESS = "an address of three names, checked against a grammar of letters, digits and hyphens"
OUR_WORDS = "a sentence or name that stands in our code"

REASONS = {
    "Answer.time": OUR_TIME,
    "Drained.message_ids": OUR_NAME,
    "Finding.next_step": OUR_WORDS,
    "Finding.store": OUR_WORDS,
    "FoundTemplate.category": ADDRESS,
    "FoundTemplate.mime_type": "a MIME type, checked against a pattern",
    "FoundTemplate.toolchain": ADDRESS,
    "FoundTemplate.uri": ADDRESS,
    "FoundTemplate.variant": ADDRESS,
    "Generated.checksum": OUR_SUM,
    "Generated.mime_type": "a MIME type, checked against a pattern",
    "Generated.template": ADDRESS,
    "ListedParameter.name": "a name, checked against a pattern of letters, digits and underscores",
    "ListedTemplate.category": ADDRESS,
    "ListedTemplate.mime_type": "a MIME type, checked against a pattern",
    "ListedTemplate.toolchain": ADDRESS,
    "ListedTemplate.uri": ADDRESS,
    "ListedTemplate.variant": ADDRESS,
    "MessagePage.next_cursor": "an opaque cursor, encoded by us",
    "Remark.changed_lines": LINE_RANGE,
    "Remark.delivered_at": OUR_TIME,
    "Remark.id": OUR_NAME,
    "Remark.line": LINE_RANGE,
    "Remark.time": OUR_TIME,
    "Replied.message_id": OUR_NAME,
    "Replied.time": OUR_TIME,
    "ScaffoldedFile.checksum": OUR_SUM,
    "ScaffoldedFile.template": ADDRESS,
    "Sent.id": OUR_NAME,
    "Sent.line": LINE_RANGE,
    "Sent.time": OUR_TIME,
    "Validated.template": ADDRESS,
}
