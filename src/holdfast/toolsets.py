"""Every toolset by name, imported when it is asked for. Nothing else imports a room's tools.

A server answers its first request before it has loaded the rooms, and a command loads only its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.kernel.operation import Toolset
    from holdfast.kernel.registry import Registry

MODULES: Mapping[str, str] = MappingProxyType(
    {
        "comments": "holdfast.comments.tools",
        "inbox": "holdfast.inbox.tools",
        "milestones": "holdfast.milestones.tools",
        "tasks": "holdfast.tasks.tools",
        "templates": "holdfast.templates.tools",
        "stores": "holdfast.doctor",
    }
)
"""Where each toolset is declared. Adding one is a package and a line here."""

HIDDEN: Mapping[str, str] = MappingProxyType({"conformance": "holdfast.conformance"})
"""Toolsets that are loaded only when they are asked for by name."""


def toolset(name: str) -> Toolset:
    """Return one toolset, with everything its room offers."""
    found: Toolset = import_module({**MODULES, **HIDDEN}[name]).toolset
    return found


def toolset_declared_in(module: str) -> Toolset:
    """Return a toolset with what one module declares; what its other modules offer may be missing."""
    from holdfast.kernel.operation import Toolset

    [found] = {
        id(item): item for item in vars(import_module(module)).values() if isinstance(item, Toolset)
    }.values()
    return found


def toolsets() -> tuple[Toolset, ...]:
    """Return every toolset there is, but for the hidden ones."""
    return tuple(toolset(name) for name in MODULES)


def full_registry(asked_for: Collection[str] | None = None) -> Registry:
    """Return the registry of all toolsets, with those hidden ones that are asked for."""
    from holdfast.kernel.registry import Registry

    hidden = [name for name in HIDDEN if name in (asked_for or ())]
    return Registry((*toolsets(), *(toolset(name) for name in hidden)))
