"""Every toolset by name, imported when it is asked for. Nothing else imports a room's tools.

A server answers its first request before it has loaded the rooms, and a command loads only its own.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.kernel.registry import Registry
    from holdfast.kernel.toolset import Toolset

MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "comments": ("comments.tools", "comments.prompts", "comments.resources"),
        "inbox": ("inbox.tools", "inbox.resources"),
        "milestones": ("milestones.tools", "milestones.prompts", "milestones.resources"),
        "tasks": (
            "tasks.tools",
            "tasks.document_resources",
            "tasks.event_feed",
            "tasks.file_resources",
            "tasks.prompts",
            "tasks.resources",
            "tasks.task_resources",
        ),
        "templates": ("templates.tools", "templates.prompts", "templates.resources"),
        "analyze": ("analysis.tools", "analysis.resources"),
        "source": ("source.tools",),
        "stores": ("doctor", "stats"),
        "tools": ("tool_search",),
    }
)
"""Where each toolset is declared: modules, and packages of which every module counts."""


def toolset(name: str) -> Toolset:
    """Return one toolset, with everything its room offers."""
    return _declared_in(module for place in MODULES[name] for module in _modules(place))


def toolset_declared_in(module: str) -> Toolset:
    """Return a toolset with what one module declares; what others of its room declare may be missing."""
    return _declared_in([import_module(f"holdfast.{module}")])


def _modules(place: str) -> Iterator[ModuleType]:
    """Return a module, or the modules of a package."""
    from pkgutil import iter_modules

    found = import_module(f"holdfast.{place}")
    yield found
    for inner in iter_modules(getattr(found, "__path__", ())):
        yield import_module(f"{found.__name__}.{inner.name}")


def _declared_in(modules: Iterable[ModuleType]) -> Toolset:
    """Return the one toolset that the modules declare something in."""
    from holdfast.kernel.toolset import Toolset

    values = (value for module in modules for value in vars(module).values())
    [found] = {value.name: value for value in values if isinstance(value, Toolset)}.values()
    return found


def toolsets() -> tuple[Toolset, ...]:
    """Return every toolset there is."""
    return tuple(toolset(name) for name in MODULES)


def full_registry() -> Registry:
    """Return the registry of all toolsets."""
    from holdfast.kernel.registry import Registry

    return Registry(toolsets())


def begin_loading() -> None:
    """Collect no garbage from now on: what is imported stays, so looking for it is in vain."""
    gc.disable()


def loaded() -> None:
    """Collect garbage again, leaving alone what was loaded: the work begins."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
