"""Fetches objects anew whose copies in the repository are damaged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory


@contextmanager
def separate_objects(store: str, common_directory: str) -> Iterator[str]:
    """Yield an empty folder for fetched objects, and move their packs into the repository at the end.

    Git reads an object from any pack in which it is intact, so these packs repair damaged ones. A pack of the
    same name is moved to the store first.
    """
    from shutil import rmtree  # here, because it is rarely needed

    folder, target = os.path.join(store, "fetched"), os.path.join(common_directory, "objects", "pack")
    source, aside = os.path.join(folder, "pack"), os.path.join(store, "damaged")
    with translate_disk_errors("objects"):
        rmtree(folder, ignore_errors=True)
        os.makedirs(source)
        try:
            yield folder
            # The index comes last: once it exists, git expects the pack.
            for name in sorted(os.listdir(source), key=lambda name: name.endswith(".idx")):
                if os.path.lexists(os.path.join(target, name)):
                    os.makedirs(aside, exist_ok=True)
                    os.rename(os.path.join(target, name), os.path.join(aside, name))
                os.rename(os.path.join(source, name), os.path.join(target, name))
            flush_directory(target)
        finally:
            rmtree(folder, ignore_errors=True)
