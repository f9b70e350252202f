"""Everything that the room offers, a module for each tool: importing this package declares it.

Only `holdfast.toolsets` imports it. `arguments` says what several tools take.
"""

from __future__ import annotations

from holdfast.comments import prompts, resources
from holdfast.comments.search import operations as searching
from holdfast.comments.tools import (
    add_comment,
    blame_file,
    delete_comment,
    edit_comment,
    export_comments,
    get_file_comments,
    list_comments,
    list_orphans,
    merge_sidecars,
    move_comment,
    reanchor_comments,
    reply_to_comment,
    resolve_comment,
    write_comments,
)
from holdfast.comments.toolset import comments as toolset

_DECLARED = (
    prompts,
    resources,
    searching,
    add_comment,
    blame_file,
    delete_comment,
    edit_comment,
    export_comments,
    get_file_comments,
    list_comments,
    list_orphans,
    merge_sidecars,
    move_comment,
    reanchor_comments,
    reply_to_comment,
    resolve_comment,
    write_comments,
)

__all__ = ("toolset",)
