"""A run over many repositories: what each is asked, what was kept of earlier runs, and what came of it.

Contract: what was computed is kept in the folder of the output before the next is waited for. It counts again
as long as its key is the same, which follows from the version, the question and the state of the repository;
where the answer depends on the day, only on that day.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from holdfast.analysis.fleet.fleet_run import Task
from holdfast.analysis.fleet.merged_report import ANALYSED, FAILED, NOT_RUN, merged, totals
from holdfast.analysis.fleet.roster import Member
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.file_set import made_folder
from holdfast.storage.files.regular_file import read_limited

UNCHANGED = "unchanged"
_KEPT = "results"
_DIED = {"message": "The process that analysed it ended every time it was tried.", "hint": None}


@dataclass
class Fleet:
    """A run."""

    members: Sequence[Member]
    question: Mapping[str, Any]
    """The operation with its arguments, the version, and today; every repository is asked the same."""
    output: str
    again: bool = False
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    unchanged: int = 0

    def __post_init__(self) -> None:
        made_folder(os.path.join(self.output, _KEPT))

    def tasks(self) -> Iterator[Task]:
        """Yield what each repository is asked."""
        for member in self.members:
            kept = {} if self.again else self._kept(member.name)
            known = kept.get("key") if kept.get("day") in (None, self.question["today"]) else None
            yield Task(member.name, json.dumps({**self.question, "root": member.path, "known": known}))

    def take(self, name: str, told: str | None) -> str:
        """Take the outcome of one repository, keep it where it is one, and return what to tell of it."""
        answer = {"error": _DIED} if told is None else json.loads(told)
        if error := answer.get("error"):
            reason = visible(" ".join(filter(None, (error["message"], error["hint"]))))
            self.rows[name] = {"repository": name, "status": FAILED, "reason": reason}
            return f"{FAILED}. {reason}"
        is_new = "result" in answer
        if is_new:
            atomic_write(self._place(name), json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
        else:
            answer = self._kept(name)
            self.unchanged += 1
        known = {member: answer[member] for member in ("commit", "day", "result")}
        self.rows[name] = {"repository": name, "status": ANALYSED, **known}
        return ANALYSED if is_new else UNCHANGED

    def finish(self) -> dict[str, Any]:
        """Write the merged files and return the totals."""
        for member in self.members:
            missing = {
                "repository": member.name,
                "status": NOT_RUN,
                "reason": "the run ended before it was done",
            }
            self.rows.setdefault(member.name, missing)
        rows = list(self.rows.values())
        files = merged(rows, self.question["operation"], self.question["arguments"])
        for name, data in files.items():
            atomic_write(os.path.join(self.output, name), data)
        return totals(rows)

    def _place(self, name: str) -> str:
        digest = sha256(name.encode("utf-8", "replace")).hexdigest()
        return os.path.join(self.output, _KEPT, f"{digest[:32]}.json")

    def _kept(self, name: str) -> dict[str, Any]:
        try:
            kept: dict[str, Any] = json.loads(read_limited(self._place(name), LIMITS.listed_bytes))
            return kept if {"key", "commit", "day", "result"} <= kept.keys() else {}
        except (HoldfastError, ValueError, AttributeError):
            return {}  # it is computed anew
