"""Garbage collection around large results."""

from __future__ import annotations

import gc

from holdfast.storage.garbage_collection import without_garbage_collection


def test_what_was_created_without_collection_counts_as_old_and_garbage_is_freed_later() -> None:
    with without_garbage_collection():
        assert not gc.isenabled()
        created: list[object] = [[] for _ in range(1000)]
        created.append(created)
    assert gc.isenabled()
    assert any(found is created for found in gc.get_objects(generation=2))
    gc.collect()
    del created
    assert gc.collect() > 0
