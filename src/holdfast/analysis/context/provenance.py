"""How far a project has drifted from the templates that it was generated from.

A scaffold writes `.scaffold.json` to the project, with the files it created, their templates and SHA-256
hashes. The drift is the difference between these hashes and those of the current files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText, visible_in
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

RECORD = ".scaffold.json"
NO_RECORD = f"there is no {RECORD}: the project was not scaffolded, or the file was deleted"


class _RecordedFile(BaseModel):
    path: str
    template: str
    checksum: str


class _Record(BaseModel):
    format: Literal[1]
    toolchain: str
    variant: str
    parameters: dict[str, Any]
    files: list[_RecordedFile]


class Drift(Output):
    """Changes of the files that the scaffold wrote."""

    scaffolded_files: int
    unchanged_files: int
    added_files: list[UntrustedText] = Field(
        description="Source files that it did not write, up to the limit."
    )
    total_added: int
    modified_files: list[UntrustedText]
    deleted_files: list[UntrustedText]
    drift_score: float = Field(description="Modified and deleted files as a share of those it wrote, 0 to 1.")


class Provenance(Output):
    """The templates that the project was generated from."""

    toolchain: UntrustedText
    variant: UntrustedText
    templates_used: list[UntrustedText]
    parameters: dict[str, Any]
    drift_analysis: Drift


def provenance_of(
    tree: Tree, project: str, sources: Collection[str], limit: int
) -> tuple[Provenance | None, str | None]:
    """Return the provenance of a project, or None and the reason."""
    prefix = f"{project}/" if project else ""
    try:
        content = tree.read_bytes(RepoPath.parse(prefix + RECORD), LIMITS.rendered_file_bytes)
        record = _Record.model_validate(parse_json(content))
    except (NotFound, InvalidPath):
        return None, NO_RECORD
    except (UnreadableDocument, ValidationError, HoldfastError):
        return None, f"{prefix}{RECORD} is not a valid record of a scaffold"
    states = {prefix + file.path: _state(tree, prefix + file.path, file.checksum) for file in record.files}
    named = {
        state: sorted(path for path in states if states[path] == state) for state in ("modified", "deleted")
    }
    added = sorted(set(sources) - states.keys())
    drift = Drift(
        scaffolded_files=len(states),
        unchanged_files=sum(state == "unchanged" for state in states.values()),
        added_files=added[:limit],
        total_added=len(added),
        modified_files=named["modified"],
        deleted_files=named["deleted"],
        drift_score=round(sum(map(len, named.values())) / len(states), 3) if states else 0.0,
    )
    return Provenance(
        toolchain=record.toolchain,
        variant=record.variant,
        templates_used=sorted({file.template for file in record.files}),
        parameters=visible_in(record.parameters),
        drift_analysis=drift,
    ), None


def _state(tree: Tree, path: str, checksum: str) -> Literal["unchanged", "modified", "deleted"]:
    try:
        content = tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)
    except (NotFound, InvalidPath):
        return "deleted"
    except HoldfastError:
        return "modified"  # larger than any file that a scaffold writes
    return "unchanged" if hashlib.sha256(content).hexdigest() == checksum else "modified"
