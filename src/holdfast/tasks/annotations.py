"""What the specification's lists say about a tool beyond the protocol's hints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _annotations(category: str, *, confirmation: bool = False) -> Mapping[str, object]:
    return MappingProxyType(
        {"category": category, "destructive": False, "requiresConfirmation": confirmation}
    )


WORKSPACE = _annotations("workspace-management")
READING = _annotations("task-overview")
WRITING = _annotations("task-management")
PLANNING = _annotations("planning")
INTEGRATION = _annotations("integration", confirmation=True)
