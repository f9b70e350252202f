"""Finds the exact and renamed clones of a tree: our side of `bench.duplicates`, importing nothing else."""

from __future__ import annotations

import sys

from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneQuery
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository

if __name__ == "__main__":
    room = Analysis(Repository.discover(sys.argv[1]))
    found = project_clones(room, room.scan_tokens(Project()), Project(), CloneQuery(COPY_KINDS))
    print(f"{len(found.groups)} groups, {found.code.share:.1%} of {found.code.lines} lines")
    room.close()
