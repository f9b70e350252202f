"""Payloads and answers of hooks, with the fields that each client documents.

Claude Code: code.claude.com/docs/en/hooks. Codex: the schemas of its hooks in its repository. Gemini CLI:
docs/hooks in its repository. VS Code and Copilot CLI: the hooks references in the repositories of their
documentation. Cursor: cursor.com/docs/agent/hooks. opencode calls with the payload of Holdfast's plugin.
"""

from __future__ import annotations

from typing import Any

from holdfast.installation.dialects import AFTER_EDIT, BEFORE_EDIT, PROMPT, SESSION_START, STOP

OLD, NEW = "    x = 1\n", "    x = 2\n"
PATCH = f"*** Begin Patch\n*** Update File: a.py\n@@ def b():\n-{OLD}+{NEW}*** End Patch\n"


def _claude(root: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "abc123",
        "transcript_path": "/tmp/transcript.jsonl",
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": name,
        **more,
    }


def _edit(root: str, **more: Any) -> dict[str, Any]:
    tool_input = {"file_path": f"{root}/a.py", "old_string": OLD, "new_string": NEW}
    return {"tool_name": "Edit", "tool_input": tool_input, "tool_use_id": "toolu_01", **more}


def _claude_code(root: str) -> dict[str, dict[str, Any]]:
    return {
        SESSION_START: _claude(root, "SessionStart", source="startup", model="claude"),
        PROMPT: _claude(root, "UserPromptSubmit", prompt="Rename x"),
        BEFORE_EDIT: _claude(root, "PreToolUse", **_edit(root)),
        AFTER_EDIT: _claude(root, "PostToolUse", **_edit(root), tool_response={"success": True}),
        "compaction": _claude(root, "SessionStart", source="compact", model="claude"),
        STOP: _claude(root, "Stop", stop_hook_active=False),
        "repeated stop": _claude(root, "Stop", stop_hook_active=True),
    }


def _codex(root: str) -> dict[str, dict[str, Any]]:
    patch = {
        "tool_name": "apply_patch",
        "tool_input": {"command": PATCH},
        "tool_use_id": "c1",
        "turn_id": "t1",
    }
    common = {"model": "gpt", "turn_id": "t1"}
    return {
        SESSION_START: _claude(root, "SessionStart", source="startup", model="gpt"),
        PROMPT: _claude(root, "UserPromptSubmit", prompt="Rename x", **common),
        BEFORE_EDIT: _claude(root, "PreToolUse", model="gpt", **patch),
        AFTER_EDIT: _claude(root, "PostToolUse", model="gpt", **patch, tool_response="Done"),
        "compaction": _claude(root, "SessionStart", source="compact", model="gpt"),
        STOP: _claude(root, "Stop", stop_hook_active=False, last_assistant_message="Done.", **common),
        "repeated stop": _claude(root, "Stop", stop_hook_active=True, last_assistant_message=None, **common),
    }


def _gemini(root: str) -> dict[str, dict[str, Any]]:
    def common(name: str, **more: Any) -> dict[str, Any]:
        return {
            "session_id": "abc123",
            "transcript_path": "/tmp/t.json",
            "cwd": root,
            "hook_event_name": name,
            "timestamp": "2026-01-01T00:00:00Z",
            **more,
        }

    tool_input = {"file_path": f"{root}/a.py", "old_string": OLD, "new_string": NEW}
    tool = {"tool_name": "replace", "tool_input": tool_input}
    done = {"prompt": "Rename x", "prompt_response": "Done."}
    return {
        SESSION_START: common("SessionStart", source="startup"),
        PROMPT: common("BeforeAgent", prompt="Rename x"),
        BEFORE_EDIT: common("BeforeTool", **tool),
        AFTER_EDIT: common("AfterTool", **tool, tool_response={"llmContent": "ok"}),
        "compaction": common("SessionStart", source="resume"),
        STOP: common("AfterAgent", **done, stop_hook_active=False),
        "repeated stop": common("AfterAgent", **done, stop_hook_active=True),
    }


def _copilot(root: str) -> dict[str, dict[str, Any]]:
    def common(name: str, **more: Any) -> dict[str, Any]:
        time = "2026-01-01T00:00:00Z"
        return {"hook_event_name": name, "session_id": "abc123", "timestamp": time, "cwd": root, **more}

    tool_input = {"path": f"{root}/a.py", "old_str": OLD, "new_str": NEW}
    result = {"result_type": "success", "text_result_for_llm": "ok"}
    stopping = {"transcript_path": "/tmp/t", "stop_reason": "end_turn"}
    return {
        SESSION_START: common("SessionStart", source="new"),
        AFTER_EDIT: common("PostToolUse", tool_name="Edit", tool_input=tool_input, tool_result=result),
        "compaction": common("SessionStart", source="resume"),
        STOP: common("Stop", **stopping, stop_hook_active=False),
        "repeated stop": common("Stop", **stopping, stop_hook_active=True),
    }


def _cursor(root: str) -> dict[str, dict[str, Any]]:
    def common(name: str, **more: Any) -> dict[str, Any]:
        return {
            "conversation_id": "abc123",
            "generation_id": "g1",
            "model": "m",
            "hook_event_name": name,
            "cursor_version": "2.4",
            "workspace_roots": [root],
            **more,
        }

    tool_input = {"file_path": f"{root}/a.py", "old_string": OLD, "new_string": NEW}
    tool = {
        "tool_name": "Write",
        "tool_input": tool_input,
        "tool_output": "{}",
        "tool_use_id": "1",
        "cwd": root,
    }
    return {
        SESSION_START: common("sessionStart", session_id="abc123", is_background_agent=False),
        AFTER_EDIT: common("postToolUse", **tool, duration=3),
        STOP: common("stop", status="completed", loop_count=0),
        "repeated stop": common("stop", status="completed", loop_count=1),
    }


def _opencode(root: str) -> dict[str, dict[str, Any]]:
    session = {"sessionID": "abc123", "directory": root}
    arguments = {"filePath": f"{root}/a.py", "oldString": OLD, "newString": NEW}
    return {
        SESSION_START: session,
        PROMPT: session,
        AFTER_EDIT: {**session, "tool": "edit", "args": arguments},
        "compaction": {**session, "source": "compact"},
        STOP: session,
    }


PAYLOADS = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini,
    "copilot": _copilot,
    "cursor": _cursor,
    "opencode": _opencode,
}
