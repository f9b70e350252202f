"""Which files are tests, examples or documents, by their paths."""

from __future__ import annotations

import re

IN_TESTS = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|examples?|docs?|benchmarks?)/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|(_tests?|\.test|\.spec|Tests?|IT)\.\w+$"
)
"""Paths of tests, examples and documents, which a published package does not contain."""
