"""The boundary where unexpected exceptions become errors that a caller may see."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from holdfast.kernel.errors import HoldfastError, Internal
from holdfast.kernel.machine import machine_failure

Result = TypeVar("Result")


def run_guarded(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call `function`, and raise every exception as a `HoldfastError`."""
    try:
        return function(*arguments)
    except HoldfastError:
        raise
    except Exception as failure:
        raise holdfast_error(failure) from None


def holdfast_error(failure: BaseException) -> HoldfastError:
    """Return the error that a caller may see for an unexpected exception.

    It is the failure of the machine, such as a full disk, or else an `Internal` with a reference id, by which
    the traceback can be found in the log.
    """
    return machine_failure(failure) or _internal(failure)


def _internal(failure: BaseException) -> Internal:
    """Log the traceback under a new reference id and return the error that names the id."""
    import logging

    reference = os.urandom(4).hex()
    extra = {"reference": reference}
    logging.getLogger("holdfast").error(
        f"holdfast: internal error {reference}", exc_info=failure, extra=extra
    )
    return Internal(
        f"Something went wrong inside Holdfast ({type(failure).__name__}, reference {reference}).",
        hint="The details are on the server's standard error under that reference.",
        reference=reference,
    )
