"""Which files are tests, examples or documents, by their paths."""

from __future__ import annotations

import re

IN_TESTS = re.compile(
    r"(^|/)([\w-]+[-_])?(tests?|examples?)/|(^|/)(testing|testdata|__tests__|specs?|docs?|benchmarks?|_*benches_*)/"
    r"|(^|/)playgrounds?/|^samples?/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|(_tests?|\.test|\.spec|Tests?|IT)\.\w+$"
)
"""Paths of tests, examples and documents, which a published package does not contain."""
