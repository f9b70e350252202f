"""The record a scaffold leaves: what was generated, from which templates, with which parameters.

It is a file of the project like the others, so that it travels with it. Comparing the checksums in it with
the files as they are now tells how far a project has moved away from its scaffold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

RECORD_PATH = ".scaffold.json"

_FORMAT: Literal[1] = 1


class RecordedFile(BaseModel):
    """One file of a scaffold."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    template: str
    template_version: str
    template_digest: str = Field(description="SHA-256 of the template's file.")
    checksum: str = Field(description="SHA-256 of the generated file.")


class ScaffoldRecord(BaseModel):
    """What a scaffold was made of. It names no time and no machine: the same scaffold, the same record."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: Literal[1] = _FORMAT
    toolchain: str
    variant: str
    parameters: dict[str, Any]
    files: list[RecordedFile]


def record_text(
    toolchain: str, variant: str, parameters: Mapping[str, Any], files: Iterable[RecordedFile]
) -> str:
    """Return the content of the record."""
    record = ScaffoldRecord(
        toolchain=toolchain,
        variant=variant,
        parameters=dict(sorted(parameters.items())),
        files=sorted(files, key=lambda file: file.path),
    )
    return json.dumps(record.model_dump(), indent=2, ensure_ascii=False) + "\n"


def continued(earlier: bytes, text: str) -> str | None:
    """Return a record that keeps what an earlier one says of other files, or None when that is no record."""
    try:
        before = ScaffoldRecord.model_validate_json(earlier)
    except ValidationError:
        return None
    now = ScaffoldRecord.model_validate_json(text)
    generated = {file.path for file in now.files}
    kept = [file for file in before.files if file.path not in generated]
    parameters = {**before.parameters, **now.parameters}
    return record_text(now.toolchain, now.variant, parameters, [*kept, *now.files])
