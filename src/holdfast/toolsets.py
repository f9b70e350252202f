"""Imports toolsets by name, on demand. No other module imports tools.

So a server can answer its first request before any toolset is loaded, and a command loads only its own.
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
"""The modules that declare each toolset. A package stands for itself and all its modules."""


def toolset(name: str) -> Toolset:
    """Return one toolset with all its operations, prompts and resources."""
    return _find_toolset(module for path in MODULES[name] for module in _modules(path))


def toolset_of_module(module: str) -> Toolset:
    """Return the toolset of one module; declarations of modules that are not imported are missing from it."""
    return _find_toolset([import_module(f"holdfast.{module}")])


def _modules(path: str) -> Iterator[ModuleType]:
    from pkgutil import iter_modules

    module = import_module(f"holdfast.{path}")
    yield module
    for submodule in iter_modules(getattr(module, "__path__", ())):
        yield import_module(f"{module.__name__}.{submodule.name}")


def _find_toolset(modules: Iterable[ModuleType]) -> Toolset:
    """Return the one toolset that the modules declare or import; fail if there are several."""
    from holdfast.kernel.toolset import Toolset

    values = (value for module in modules for value in vars(module).values())
    [declared] = {value.name: value for value in values if isinstance(value, Toolset)}.values()
    return declared


def toolsets() -> tuple[Toolset, ...]:
    """Return all toolsets."""
    return tuple(toolset(name) for name in MODULES)


def full_registry() -> Registry:
    """Return the registry of all toolsets."""
    from holdfast.kernel.registry import Registry

    return Registry(toolsets())


def pause_garbage_collection() -> None:
    """Stop garbage collection while modules are imported, because they are never freed."""
    gc.disable()


def resume_garbage_collection() -> None:
    """Resume garbage collection, exempting the imported modules."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
