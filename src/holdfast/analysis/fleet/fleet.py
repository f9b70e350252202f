"""A run over many repositories: the requests, the results cached from earlier runs, and the report.

Contract: each result is written to the output folder as soon as it arrives. It is reused as long as its key
is the same, which depends on the version, the request and the state of the repository. A result that depends
on the day is reused on that day only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from holdfast.analysis.fleet.fleet_run import RepositoryTask
from holdfast.analysis.fleet.merged_report import ANALYSED, FAILED, NOT_RUN, merged_files, totals
from holdfast.analysis.fleet.roster import Member
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.file_set import make_folder
from holdfast.storage.files.regular_file import read_limited

UNCHANGED = "unchanged"
_RESULTS_FOLDER = "results"
_FILE_NAME_DIGITS = 32
"""Hexadecimal digits of a hash, 128 bits: no two names have the same by chance."""
_CRASHED = {"message": "The process that analysed it crashed on every try.", "hint": None}


@dataclass
class Fleet:
    """One run of an analysis over many repositories."""

    members: Sequence[Member]
    shared_request: Mapping[str, Any]
    """The operation with its arguments, the version, and today's date; the same for every repository."""
    output: str
    """The folder for results and merged reports."""
    ignores_cache: bool = False
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The recorded outcomes, by the repository's name."""
    unchanged: int = 0
    """How many repositories had a cached result that is still valid."""

    def __post_init__(self) -> None:
        make_folder(os.path.join(self.output, _RESULTS_FOLDER))

    def tasks(self) -> Iterator[RepositoryTask]:
        """Yield the request for each repository, with the key of its cached result if that may be valid."""
        for member in self.members:
            cached = {} if self.ignores_cache else self._cached(member.name)
            # None: the result does not depend on the day.
            may_be_valid = cached.get("day") in (None, self.shared_request["today"])
            cached_key = cached.get("key") if may_be_valid else None
            request = json.dumps({**self.shared_request, "root": member.path, "cached_key": cached_key})
            yield RepositoryTask(member.name, request)

    def record(self, name: str, outcome: str | None) -> str:
        """Record the outcome for one repository, cache it if it is new, and return its status message.

        The outcome is JSON with an error, a new result, or neither if the cached result is still valid. It is
        None if the process that computed it crashed.
        """
        entry = {"error": _CRASHED} if outcome is None else json.loads(outcome)
        if error := entry.get("error"):
            reason = visible(" ".join(filter(None, (error["message"], error["hint"]))))
            self.rows[name] = {"repository": name, "status": FAILED, "reason": reason}
            return f"{FAILED}. {reason}"
        is_new = "result" in entry
        if is_new:
            atomic_write(self._path(name), json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace"))
        else:
            entry = self._cached(name)
            self.unchanged += 1
        fields = {field_name: entry[field_name] for field_name in ("commit", "day", "result")}
        self.rows[name] = {"repository": name, "status": ANALYSED, **fields}
        return ANALYSED if is_new else UNCHANGED

    def finish(self) -> dict[str, Any]:
        """Write the merged files and return the totals."""
        for member in self.members:
            not_run = {"status": NOT_RUN, "reason": "the run ended before it was analysed"}
            self.rows.setdefault(member.name, {"repository": member.name, **not_run})
        rows = list(self.rows.values())
        files = merged_files(rows, self.shared_request["operation"], self.shared_request["arguments"])
        for name, data in files.items():
            atomic_write(os.path.join(self.output, name), data)
        return totals(rows)

    def _path(self, name: str) -> str:
        digest = sha256(name.encode("utf-8", "replace")).hexdigest()  # a name may contain slashes
        return os.path.join(self.output, _RESULTS_FOLDER, f"{digest[:_FILE_NAME_DIGITS]}.json")

    def _cached(self, name: str) -> dict[str, Any]:
        try:
            cached: dict[str, Any] = json.loads(read_limited(self._path(name), LIMITS.listed_bytes))
            return cached if {"key", "commit", "day", "result"} <= cached.keys() else {}
        except (HoldfastError, ValueError, AttributeError):
            return {}  # the result is computed again
