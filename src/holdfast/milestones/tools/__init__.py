"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.milestones import cooperation, exchange, operations, prompts, resources, writing
from holdfast.milestones.toolset import milestones as toolset

# Importing them declares what they hold.
del cooperation, exchange, operations, prompts, resources, writing

__all__ = ("toolset",)
