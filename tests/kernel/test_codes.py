from __future__ import annotations

from collections import Counter

import pytest

from holdfast.kernel.codes import (
    HANDSHAKE_CODES,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    handshake_code,
    stateless_code,
)
from holdfast.kernel.errors import (
    Conflict,
    HoldfastError,
    Internal,
    RateLimited,
    UnknownResource,
    UnknownTool,
)
from tests.kernel.test_errors import every_error

FAMILIES = [*HANDSHAKE_CODES, "a family without codes"]


def error_of(kind: str) -> HoldfastError:
    return type("Example", (HoldfastError,), {"kind": kind})("example")


def test_within_a_family_a_code_means_one_kind():
    for family, rows in HANDSHAKE_CODES.items():
        assert [code for code, count in Counter(rows.values()).items() if count > 1] == [], family


@pytest.mark.parametrize("family", FAMILIES)
def test_the_stateless_era_never_sees_a_code_it_forbids(family: str):
    specified = [error_of(kind) for kind in HANDSHAKE_CODES.get(family, {})]
    for error in [*specified, *(error("example") for error in every_error())]:
        code = stateless_code(family, error)
        assert not -32099 <= code <= -32000, (family, error.kind)


def test_the_stateless_era_keeps_the_standard_codes():
    assert stateless_code("toolkit", Internal("broken")) == INTERNAL_ERROR
    assert stateless_code("lazygit", UnknownResource("what?")) == INVALID_PARAMS
    assert stateless_code("toolkit", RateLimited("slower")) == RateLimited.number


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param("template_not_found", -32000, marks=pytest.mark.requirement("transport-41")),
        pytest.param("invalid_template_uri", -32001, marks=pytest.mark.requirement("transport-42")),
        pytest.param("parameter_validation", -32002, marks=pytest.mark.requirement("transport-43")),
    ],
)
def test_the_toolkit_family_has_its_own_codes(kind: str, code: int):
    assert handshake_code("toolkit", error_of(kind)) == code


def test_a_failure_takes_the_code_of_its_nearest_kind():
    assert handshake_code("lazygit", UnknownTool("what?")) == -32602
    assert handshake_code("git-mile", UnknownTool("what?")) == -32601


def test_a_failure_without_a_code_is_left_to_the_result():
    assert handshake_code("lazygit", Conflict("changed")) is None
    assert handshake_code("a family without codes", Internal("broken")) is None
