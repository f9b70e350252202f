"""Moves damaged loose objects aside, so that git uses an intact copy from a pack."""

from __future__ import annotations

import os
import zlib

from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.objects.object_format import is_id_of
from holdfast.storage.git.ref_files import read_beginning


def set_aside_if_damaged(common_directory: str, object_id: str, folder: str) -> bool:
    """Move a loose object to a folder if its content does not match its id; return whether it was moved."""
    path = os.path.join(common_directory, "objects", object_id[:2], object_id[2:])
    limit = LIMITS.git_output_bytes
    try:
        content = zlib.decompressobj().decompress(read_beginning(path, limit), limit)
    except OSError:
        return False  # it does not exist, or is not a file
    except zlib.error:
        content = b""
    if len(content) >= limit or is_id_of(object_id, content):
        return False
    os.makedirs(folder, exist_ok=True)
    os.rename(path, os.path.join(folder, object_id))
    return True
