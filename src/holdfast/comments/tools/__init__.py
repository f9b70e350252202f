"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.comments import prompts, resources
from holdfast.comments.search import operations as searching
from holdfast.comments.tools import (
    export_comments,
    list_comments,
    merge_sidecars,
    operations,
    reanchor_comments,
)
from holdfast.comments.toolset import comments as toolset

# Importing them declares what they hold.
del (
    export_comments,
    list_comments,
    merge_sidecars,
    operations,
    prompts,
    reanchor_comments,
    resources,
    searching,
)

__all__ = ("toolset",)
