"""Results that follow from one file each, kept on disk by path and content.

Contract: results consist of JSON values, and come back as they were. Those of another version of the code, or
in a file that is damaged or was not written by this user, are none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from holdfast.analysis.engine.code_version import analysis_version
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.authenticated_file import read_authenticated, write_authenticated
from holdfast.storage.git.repository import Repository

SUFFIX = ".results"


class KeptResults:
    """The results of one computation, which all work trees of a repository share."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._path = os.path.join(repository.store_directory, name.replace(" ", "-") + SUFFIX)

    def load(self) -> dict[str, tuple[str, Any]]:
        """Return the key of the content and the result, by path."""
        data = read_authenticated(self._path, LIMITS.record_cache_bytes)
        kept = None if data is None else json.loads(bytes(data))
        if kept is None or kept["version"] != analysis_version():
            return {}
        return {path: (key, result) for path, key, result in kept["files"]}

    def save(self, results: Mapping[str, tuple[str, Any]]) -> None:
        """Replace the results; without room or permission they are left out, which only costs time."""
        rows = [(path, key, result) for path, (key, result) in results.items()]
        with suppress(HoldfastError):
            self._repository.ensure_store()
            write_authenticated(
                self._path, json.dumps({"version": analysis_version(), "files": rows}).encode("ascii")
            )
