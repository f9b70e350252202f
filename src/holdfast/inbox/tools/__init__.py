"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.inbox import operations, prompts, resources
from holdfast.inbox.toolset import inbox as toolset

# Importing them declares what they hold.
del operations, prompts, resources

__all__ = ("toolset",)
