"""Templates: files of a new project, generated from parameters that are checked first."""

from __future__ import annotations

from holdfast.templates import operations, prompts, resources, writing
from holdfast.templates.toolset import templates

del operations, prompts, resources, writing  # importing them declares what they hold

__all__ = ["templates"]
