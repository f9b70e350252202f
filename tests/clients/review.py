"""The review that every client works through, and what it has to see.

A person sends a remark from another process; the agent is told, reads it, takes it, answers it, and
makes the mistakes that agents make.
"""

from __future__ import annotations

from typing import Any

from tests.clients.recording import HOLDFAST

COMMENT = 'Who closes this?\n"$(id)" `id` 🐙'
SENDER = [HOLDFAST, "send", "--anyway", "--file", "src/main.py", "--line", "42", "--comment", COMMENT]

TOOLS = {"check_lazygit_messages", "list_messages", "reply_to_message", "send_message"}


def assert_reviewed(seen: dict[str, Any]) -> None:
    """Assert that a client saw the review as it was."""
    assert seen["server"] == "holdfast"
    assert set(seen["tools"]) >= TOOLS
    assert seen["tools"] == sorted(seen["tools"])
    assert "lazygit://messages" in seen["resources"]
    assert "address_review_remarks" in seen["prompts"]

    assert seen["updated"] == "lazygit://messages"
    remark = seen["checked"]["structuredContent"]["messages"][0]
    assert remark["comment"] == COMMENT
    words = as_specified(remark["time"])
    assert text_of(seen["checked"]) == words
    assert seen["waiting"]["contents"][0]["text"] == words
    assert words in seen["prompt"]["messages"][0]["content"]["text"]

    assert text_of(seen["sent"]) == "Message sent successfully for README.md"
    assert seen["drained"]["structuredContent"]["message_ids"] == [seen["sent"]["structuredContent"]["id"]]
    assert [item["state"] for item in seen["listed"]["structuredContent"]["messages"]] == ["delivered"] * 2
    assert seen["replied"]["structuredContent"]["replies"] == 1
    assert [reply["text"] for reply in seen["shown"]["structuredContent"]["replies"]] == ["Handled"]

    assert 'missing argument "comment"' in text_of(seen["refused"])
    assert "There is no message 'm_00000000'." in text_of(seen["missing"])
    assert seen["unknown"]["error"]["code"] == -32602
    assert "Unknown tool: no_such_tool" in text_of(seen["unknown"])


def as_specified(time: str) -> str:
    """Return the text in which the remark is handed over."""
    place = "File: src/main.py\nLine: 42"
    return f"Message 1:\n{place}\nComment: {COMMENT}\nTime: {time}\n\nPlease improve this code."


def text_of(outcome: dict[str, Any]) -> str:
    """Return what a result or an error says."""
    said: str = outcome["error"]["message"] if "error" in outcome else outcome["content"][0]["text"]
    return said
