"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.templates import prompts, resources
from holdfast.templates.tools import (
    generate_template,
    list_templates,
    scaffold_project,
    search_templates,
    validate_template,
    write_scaffold,
)
from holdfast.templates.toolset import templates as toolset

# Importing them declares what they hold.
del generate_template, list_templates, scaffold_project, search_templates, validate_template, write_scaffold
del prompts, resources

__all__ = ("toolset",)
