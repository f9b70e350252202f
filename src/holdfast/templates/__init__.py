"""Templates: files of a new project, generated from parameters that are checked first.

Importing the package loads nothing. The toolset is made when it is first asked for, so that the confined
process that renders somebody else's template starts quickly and holds little.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.templates.toolset import templates as templates


def __getattr__(name: str) -> object:
    if name != "templates":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.templates import operations, prompts, resources, toolset, writing

    del operations, prompts, resources, writing  # importing them declares what they hold
    return toolset.templates
