"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.tasks import operations
from holdfast.tasks.toolset import tasks as toolset

# Importing them declares what they hold.
del operations

__all__ = ("toolset",)
