"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote.

Every other text in a result has the untrusted type. Members of a model are named `Model.field`.
"""

from __future__ import annotations

from tests.contract.analysis_cases import ANALYSIS_PLAIN_TEXT
from tests.contract.comment_cases import COMMENT_PLAIN_TEXT
from tests.contract.comment_search_cases import COMMENT_SEARCH_PLAIN_TEXT
from tests.contract.complexity_cases import COMPLEXITY_PLAIN_TEXT
from tests.contract.comprehensive_cases import COMPREHENSIVE_PLAIN_TEXT
from tests.contract.context_cases import CONTEXT_PLAIN_TEXT
from tests.contract.dead_code_cases import DEAD_CODE_PLAIN_TEXT
from tests.contract.debt_cases import DEBT_PLAIN_TEXT
from tests.contract.defect_cases import DEFECT_PLAIN_TEXT
from tests.contract.duplicates_cases import DUPLICATES_PLAIN_TEXT
from tests.contract.gate_cases import GATE_PLAIN_TEXT
from tests.contract.graph_cases import GRAPH_PLAIN_TEXT
from tests.contract.map_cases import MAP_PLAIN_TEXT
from tests.contract.memory_cases import MEMORY_PLAIN_TEXT
from tests.contract.name_cases import NAME_PLAIN_TEXT
from tests.contract.source_cases import SOURCE_PLAIN_TEXT
from tests.contract.task_cases import TASK_PLAIN_TEXT
from tests.contract.task_link_cases import TASK_LINK_PLAIN_TEXT
from tests.contract.task_look_cases import TASK_LOOK_PLAIN_TEXT
from tests.contract.task_step_cases import TASK_STEP_PLAIN_TEXT
from tests.contract.trend_cases import TREND_PLAIN_TEXT

OUR_NAME = "a name we made: a prefix and hexadecimal digits"
OUR_TIME = "a moment, written or checked by us as RFC 3339"
LINE_RANGE = "N or N-M, checked against a pattern"
OUR_SUM = "hexadecimal digits of a checksum"
ADDRESS = "an address of three names, checked against a grammar of letters, digits and hyphens"
OUR_UUID = "a UUID, made or checked by us"
OUR_WORDS = "a sentence or name that stands in our code"

REASONS = {
    **ANALYSIS_PLAIN_TEXT,
    **COMMENT_PLAIN_TEXT,
    **CONTEXT_PLAIN_TEXT,
    **COMMENT_SEARCH_PLAIN_TEXT,
    **DEAD_CODE_PLAIN_TEXT,
    **COMPLEXITY_PLAIN_TEXT,
    **GATE_PLAIN_TEXT,
    **GRAPH_PLAIN_TEXT,
    **MAP_PLAIN_TEXT,
    **DEBT_PLAIN_TEXT,
    **MEMORY_PLAIN_TEXT,
    **NAME_PLAIN_TEXT,
    **DUPLICATES_PLAIN_TEXT,
    **TREND_PLAIN_TEXT,
    **DEFECT_PLAIN_TEXT,
    **COMPREHENSIVE_PLAIN_TEXT,
    **SOURCE_PLAIN_TEXT,
    **TASK_PLAIN_TEXT,
    **TASK_LINK_PLAIN_TEXT,
    **TASK_LOOK_PLAIN_TEXT,
    **TASK_STEP_PLAIN_TEXT,
    "Answer.time": OUR_TIME,
    "AttachedFile.attached_at": OUR_TIME,
    "PrintedMessages.message_ids": OUR_NAME,
    "Finding.next_step": OUR_WORDS,
    "Finding.store": OUR_WORDS,
    "NameStatistics.name": OUR_WORDS,
    "StoreStatistics.counts": OUR_WORDS,
    "StoreStatistics.store": OUR_WORDS,
    "StoredFile.last_write": OUR_TIME,
    "FilterField.name": OUR_WORDS,
    "FilterField.operators": OUR_WORDS,
    "FoundTemplate.category": ADDRESS,
    "FoundTemplate.mime_type": "a MIME type, checked against a pattern",
    "FoundTemplate.toolchain": ADDRESS,
    "FoundTemplate.uri": ADDRESS,
    "FoundTemplate.variant": ADDRESS,
    "FoundTool.command": OUR_WORDS,
    "FoundTool.description": OUR_WORDS,
    "FoundTool.input_schema": OUR_WORDS,
    "FoundTool.name": OUR_WORDS,
    "FoundTools.more": OUR_WORDS,
    "FoundTools.toolsets": OUR_WORDS,
    "GeneratedFile.checksum": OUR_SUM,
    "GeneratedFile.mime_type": "a MIME type, checked against a pattern",
    "GeneratedFile.template": ADDRESS,
    "ListedParameter.name": "a name, checked against a pattern of letters, digits and underscores",
    "ListedTemplate.category": ADDRESS,
    "ListedTemplate.mime_type": "a MIME type, checked against a pattern",
    "ListedTemplate.toolchain": ADDRESS,
    "ListedTemplate.uri": ADDRESS,
    "ListedTemplate.variant": ADDRESS,
    "MessagePage.next_cursor": "an opaque cursor, encoded by us",
    "MileClaim.until": OUR_TIME,
    "MileClaimed.comment_id": OUR_UUID,
    "MileClaimed.id": OUR_UUID,
    "MileClaimed.operations": OUR_UUID,
    "MileClaimed.until": OUR_TIME,
    "MileComment.edited": OUR_TIME,
    "MileComment.id": OUR_UUID,
    "MileComment.timestamp": OUR_TIME,
    "MileComment.ts": OUR_TIME,
    "MileContest.field": OUR_WORDS,
    "MileDetails.created": OUR_TIME,
    "MileDetails.dependencies": OUR_UUID,
    "MileDetails.due": "a day, checked by us as YYYY-MM-DD",
    "MileDetails.id": OUR_UUID,
    "MileDetails.milestone": OUR_UUID,
    "MileDetails.updated": OUR_TIME,
    "MileEvent.entity": OUR_UUID,
    "MileEvent.id": OUR_UUID,
    "MileItem.id": OUR_UUID,
    "MileLine.due": "a day, checked by us as YYYY-MM-DD",
    "MileLine.id": OUR_UUID,
    "MileLine.updated": OUR_TIME,
    "MileLog.next_cursor": "an opaque cursor, encoded by us",
    "MileLostClaim.id": OUR_UUID,
    "MileLostClaim.until": OUR_TIME,
    "MileOverview.next_cursor": "an opaque cursor, encoded by us",
    "MilePage.next_cursor": "an opaque cursor, encoded by us",
    "MileReceipt.comment_id": OUR_UUID,
    "MileReceipt.id": OUR_UUID,
    "MileReceipt.operations": OUR_UUID,
    "MileValue.ts": OUR_TIME,
    "MileVocabulary.sort": OUR_WORDS,
    "Remark.changed_lines": LINE_RANGE,
    "Remark.delivered_at": OUR_TIME,
    "Remark.id": OUR_NAME,
    "Remark.line": LINE_RANGE,
    "Remark.time": OUR_TIME,
    "AppliedSuggestion.message_id": OUR_NAME,
    "ReplyReceipt.message_id": OUR_NAME,
    "WithdrawnMessage.message_id": OUR_NAME,
    "ReplyReceipt.time": OUR_TIME,
    "ScaffoldedFile.checksum": OUR_SUM,
    "ScaffoldedFile.template": ADDRESS,
    "MessageReceipt.id": OUR_NAME,
    "MessageReceipt.line": LINE_RANGE,
    "MessageReceipt.time": OUR_TIME,
    "ParameterCheck.template": ADDRESS,
}
