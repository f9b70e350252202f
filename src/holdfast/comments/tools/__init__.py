"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.comments import listing, operations, prompts, resources, scanning
from holdfast.comments.export import operations as exporting
from holdfast.comments.search import operations as searching
from holdfast.comments.toolset import comments as toolset
from holdfast.comments.union import operations as uniting

# Importing them declares what they hold.
del exporting, listing, operations, prompts, resources, scanning, searching, uniting

__all__ = ("toolset",)
