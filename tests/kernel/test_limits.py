from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from holdfast.kernel.limits import LIMITS, Limits


def test_limits_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        LIMITS.request_bytes = 1  # type: ignore[misc]


def test_every_limit_is_a_positive_number():
    assert all(getattr(LIMITS, field.name) > 0 for field in fields(Limits))


def test_the_specified_numbers_are_the_specified_numbers():
    assert (LIMITS.read_chunk, LIMITS.write_chunk) == (65_536, 8_192)
    assert (LIMITS.request_bytes, LIMITS.response_bytes) == (1_048_576, 10_485_760)
    assert (LIMITS.requests_in_flight, LIMITS.request_burst) == (128, 1000)
    assert LIMITS.messages_per_call == 10
