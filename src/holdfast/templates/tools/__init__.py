"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.templates import operations, prompts, resources, writing
from holdfast.templates.toolset import templates as toolset

# Importing them declares what they hold.
del operations, prompts, resources, writing

__all__ = ("toolset",)
