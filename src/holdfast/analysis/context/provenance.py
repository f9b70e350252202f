"""Reports which templates a project was generated from, and how far it has drifted from them.

Scaffolding a project writes `.scaffold.json`: the files created, with their templates and SHA-256 hashes.
Drift is measured by comparing these hashes with those of the current files.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
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

RECORD_NAME = ".scaffold.json"
NO_RECORD = f"there is no {RECORD_NAME}: the project was not scaffolded, or the file was deleted"


class _RecordedFile(BaseModel):
    """A file that the scaffold wrote."""

    path: str
    template: str
    checksum: str


class _Record(BaseModel):
    """The content of `.scaffold.json`."""

    format: Literal[1]
    toolchain: str
    variant: str
    parameters: dict[str, Any]
    files: list[_RecordedFile]


class Drift(Output):
    """The files that changed since the scaffold wrote them."""

    scaffolded_files: int
    unchanged_files: int
    added_files: list[UntrustedText] = Field(description="Other source files, up to the limit.")
    total_added: int
    modified_files: list[UntrustedText]
    deleted_files: list[UntrustedText]
    drift_score: float = Field(description="The share of files modified or deleted, from 0 to 1.")


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
    """Return the provenance of a project, given its source files, or None and the reason."""
    prefix = f"{project}/" if project else ""
    try:
        content = tree.read_bytes(RepoPath.parse(prefix + RECORD_NAME), LIMITS.rendered_file_bytes)
        record = _Record.model_validate(parse_json(content))
    except (NotFound, InvalidPath):
        return None, NO_RECORD
    except (UnreadableDocument, ValidationError, HoldfastError):
        return None, f"{prefix}{RECORD_NAME} is not a valid record of a scaffold"
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for path, checksum in sorted({prefix + file.path: file.checksum for file in record.files}.items()):
        paths[_file_state(tree, path, checksum)].append(path)
    scaffolded = {path for group in paths.values() for path in group}
    added = sorted(set(sources) - scaffolded)
    changed = len(paths["modified"]) + len(paths["deleted"])
    drift = Drift(
        scaffolded_files=len(scaffolded),
        unchanged_files=len(paths["unchanged"]),
        added_files=added[:limit],
        total_added=len(added),
        modified_files=paths["modified"],
        deleted_files=paths["deleted"],
        drift_score=round(changed / len(scaffolded), 3) if scaffolded else 0.0,
    )
    return Provenance(
        toolchain=record.toolchain,
        variant=record.variant,
        templates_used=sorted({file.template for file in record.files}),
        parameters=visible_in(record.parameters),
        drift_analysis=drift,
    ), None


def _file_state(tree: Tree, path: str, checksum: str) -> Literal["unchanged", "modified", "deleted"]:
    try:
        content = tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)
    except (NotFound, InvalidPath):
        return "deleted"
    except HoldfastError:
        return "modified"  # larger than any file that a scaffold writes
    return "unchanged" if hashlib.sha256(content).hexdigest() == checksum else "modified"
