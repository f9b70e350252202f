"""What the operating system refuses, said so that a person knows the thing and the next step.

Messages name a file by the label the caller gives (a path inside the repository, or a file name); the
absolute path in an `OSError` stays in the chained exception and never reaches a face.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.machine import disk_failure

__all__ = ["disk_failure", "disk_failures_named"]


@contextmanager
def disk_failures_named(label: str) -> Iterator[None]:
    """Turn every `OSError` of the code inside into a failure that names `label`."""
    try:
        yield
    except OSError as error:
        raise disk_failure(error, label) from error
