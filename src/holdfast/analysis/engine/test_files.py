"""Which files are tests, examples or documents, by their paths."""

from __future__ import annotations

import re
from functools import lru_cache

IN_TESTS = re.compile(
    r"(^|/)([\w-]+[-_])?(tests?|examples?)/|(^|/)(testing|testdata|__tests__|specs?|docs?|benchmarks?|_*benches_*)/"
    r"|(^|/)playgrounds?/|^samples?/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|(_tests?|\.test|\.spec|Tests?|IT)\.\w+$"
)
"""Paths of tests, examples and documents, which a published package does not contain."""
_PATHS_REMEMBERED = 100_000
"""A judgement: the files of a large project, whose paths take some 10 MB."""


@lru_cache(_PATHS_REMEMBERED)
def is_in_tests(path: str) -> bool:
    """Return whether a path is one of tests, examples or documents."""
    return IN_TESTS.search(path) is not None
