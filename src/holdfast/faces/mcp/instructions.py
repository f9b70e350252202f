"""A server's instructions, which name only tools that it offers.

The handshake is answered before the toolsets are loaded, so a table here repeats the toolset and the effect
of every tool that instructions mention; a test compares it with the registry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import CALL_TOOL, TOOLS, Selection

if TYPE_CHECKING:
    from holdfast.faces.mcp.profiles import Profile

MENTIONED: Mapping[str, tuple[str, Effect]] = MappingProxyType(
    {
        "check_lazygit_messages": ("inbox", Effect.WRITE),
        "reply_to_message": ("inbox", Effect.WRITE),
        "list_messages": ("inbox", Effect.READ),
        "scaffold_project": ("templates", Effect.READ),
        "list_templates": ("templates", Effect.READ),
        "git_mile_ready": ("milestones", Effect.READ),
        "git_mile_claim": ("milestones", Effect.WRITE),
        "git_mile_close": ("milestones", Effect.WRITE),
        "git_mile_list": ("milestones", Effect.READ),
        "git_mile_show": ("milestones", Effect.READ),
        "taskpilot_init": ("tasks", Effect.WRITE),
        "taskpilot_start": ("tasks", Effect.WRITE),
        "taskpilot_focus": ("tasks", Effect.WRITE),
        "taskpilot_update": ("tasks", Effect.WRITE),
        "taskpilot_list": ("tasks", Effect.READ),
        "get_file_comments": ("comments", Effect.READ),
        "search_comments": ("comments", Effect.READ),
        "add_comment": ("comments", Effect.WRITE),
        "analyze_deep_context": ("analyze", Effect.READ),
        "find_tools": (TOOLS, Effect.READ),
        CALL_TOOL: (TOOLS, Effect.READ),
    }
)
"""The toolset and the effect of the tools that instructions mention."""

_SNAKE_CASE = re.compile(r"[a-z]+(?:_[a-z]+)+")


class Guidance(NamedTuple):
    """Clauses about related tools. A server leaves out the clauses that mention a tool it does not offer,
    and everything if no clause remains.
    """

    clauses: tuple[str, ...]
    lead: str = ""
    separator: str = "; "
    end: str = "."

    def text(self, profile: Profile, selection: Selection) -> str:
        clauses = [
            clause
            for clause in self.clauses
            if all(selection.admits_tool(name, *MENTIONED[name]) for name in _tools_in(clause))
        ]
        text = self.separator.join(clauses)
        if profile.uses_dotted_names:
            text = text.replace("git_mile_", "git_mile.")
        return f"{self.lead}{text}{self.end}" if clauses else ""


def _tools_in(clause: str) -> set[str]:
    return MENTIONED.keys() & _SNAKE_CASE.findall(clause)


def instructions_for(profile: Profile, selection: Selection) -> str | None:
    """Return the instructions of a server, or None if its profile has none."""
    texts = [part.text(profile, selection) for part in profile.instructions]
    return " ".join(text for text in texts if text) or None
