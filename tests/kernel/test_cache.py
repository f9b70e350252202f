"""A cached value is returned under the version it was stored with, and under no other."""

from __future__ import annotations

from holdfast.kernel.cache import VersionedCache


def test_a_value_is_returned_only_under_the_version_it_was_stored_with() -> None:
    cache: VersionedCache[str] = VersionedCache()
    assert cache.put("question", 1, "answer") == "answer"
    assert cache.get("question", 1) == "answer"
    assert cache.get("question", 2) is None
    assert cache.get("other", 1) is None


def test_nothing_is_stored_without_a_version() -> None:
    cache: VersionedCache[str] = VersionedCache()
    assert cache.put("question", None, "answer") == "answer"
    assert cache.get("question", None) is None
    cache.put("question", 1, "answer")
    assert cache.get("question", None) is None


def test_a_full_cache_drops_its_oldest_values() -> None:
    cache: VersionedCache[int] = VersionedCache(max_values=10)
    for number in range(100):
        cache.put(number, 1, number)
    assert cache.get(99, 1) == 99
    assert sum(cache.get(number, 1) is not None for number in range(100)) <= 10


def test_a_cache_of_one_value_holds_only_the_last() -> None:
    cache: VersionedCache[int] = VersionedCache(max_values=1)
    cache.put("first", 1, 1)
    cache.put("second", 1, 2)
    assert cache.get("first", 1) is None
    assert cache.get("second", 1) == 2
