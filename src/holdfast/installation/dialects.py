"""How each client's hooks are named, called and answered: a table of facts from the clients' documentation.

`clients` writes the hooks of this table into a client's files, `faces/hooks` reads the payloads and writes
the answers. Contract: only what a client documents is in the table. Where a client cannot give a model text
at an event, the hook of the next event that can does.
"""

from __future__ import annotations

from typing import NamedTuple

SESSION_START = "session-start"
PROMPT = "prompt"
BEFORE_EDIT = "before-edit"
AFTER_EDIT = "after-edit"
STOP = "stop"
EVENTS = (SESSION_START, PROMPT, BEFORE_EDIT, AFTER_EDIT, STOP)


class Dialect(NamedTuple):
    """The hooks of one client, or of several that read the same file."""

    events: dict[str, str]
    """The client's name of each event that can give the model text; the others are not hooked."""
    answers: str
    """The form of answers: `claude`, `gemini`, `copilot`, `cursor` or `text`."""
    edits: str = ""
    """The matcher for tools that edit files; empty if the client documents none for these events."""
    root: str = ""
    """The directory to pass, as the shell that runs the hook expands it; empty for the current one."""
    refusal: str = ""
    """The client's event at which an edit can be refused; empty if it documents none."""


_CLAUDE_EVENTS = {
    SESSION_START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    BEFORE_EDIT: "PreToolUse",
    AFTER_EDIT: "PostToolUse",
    STOP: "Stop",
}
DIALECTS = {
    "claude-code": Dialect(
        _CLAUDE_EVENTS,
        "claude",
        edits="Edit|MultiEdit|Write|NotebookEdit",
        root="${CLAUDE_PROJECT_DIR:-.}",
        refusal="PreToolUse",
    ),
    "codex": Dialect(_CLAUDE_EVENTS, "claude", edits="apply_patch|Edit|Write", refusal="PreToolUse"),
    "gemini-cli": Dialect(
        {SESSION_START: "SessionStart", PROMPT: "BeforeAgent", AFTER_EDIT: "AfterTool", STOP: "AfterAgent"},
        "gemini",
        edits="write_file|replace",
        root="${GEMINI_PROJECT_DIR:-.}",
        refusal="BeforeTool",
    ),
    # VS Code and Copilot CLI read the same file and both accept these names. Neither gives a model the text
    # of a prompt hook, and only VS Code that of a hook before a tool.
    "copilot": Dialect({SESSION_START: "SessionStart", AFTER_EDIT: "PostToolUse", STOP: "Stop"}, "copilot"),
    "cursor": Dialect({SESSION_START: "sessionStart", AFTER_EDIT: "postToolUse", STOP: "stop"}, "cursor"),
    # A plugin calls the hook and inserts its text.
    "opencode": Dialect(
        {
            SESSION_START: "session.created",
            PROMPT: "chat.message",
            AFTER_EDIT: "tool.execute.after",
            STOP: "session.idle",
        },
        "text",
    ),
}


def answer_of(dialect: Dialect, event: str, text: str) -> dict[str, object]:
    """Return the JSON with which a hook gives the model a text, or at `stop` lets it go on with the text."""
    name = dialect.events[event]
    if dialect.answers == "cursor":
        return {"followup_message" if event == STOP else "additional_context": text}
    if event == STOP:
        decision: dict[str, object] = {
            "decision": "deny" if dialect.answers == "gemini" else "block",
            "reason": text,
        }
        if dialect.answers == "copilot":  # Copilot CLI reads the members themselves, VS Code those inside.
            decision["hookSpecificOutput"] = {"hookEventName": name, **decision}
        return decision
    answer: dict[str, object] = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    if dialect.answers == "copilot":
        answer["additionalContext"] = text
    return answer


def refusal_of(dialect: Dialect, text: str) -> dict[str, object]:
    """Return the JSON with which a hook refuses an edit, for a reason that the model reads."""
    if dialect.answers == "gemini":
        return {"decision": "deny", "reason": text}
    return {
        "hookSpecificOutput": {
            "hookEventName": dialect.refusal,
            "permissionDecision": "deny",
            "permissionDecisionReason": text,
        }
    }
