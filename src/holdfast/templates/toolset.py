"""The templates toolset, in which the tools, resources and prompts of this package are registered."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

templates = Toolset(
    "templates",
    "Files of a new project, generated from templates: built-in ones, your own and the repository's.",
    family="toolkit",
)
