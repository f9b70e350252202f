from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import holdfast
from holdfast.kernel import errors
from holdfast.kernel.errors import Busy, Conflict, HoldfastError, RateLimited

TREE_LINE = re.compile(
    r"^ {4}(?P<stem>[│ ]*[├└]── )?(?P<name>[A-Z]\w+)(?: +(?P<exit>\d+) +(?P<http>\d+))?", re.MULTILINE
)


def descendants(error: type[HoldfastError]) -> Iterator[type[HoldfastError]]:
    for child in error.__subclasses__():
        if child.__module__.startswith("holdfast."):
            yield child
            yield from descendants(child)


def every_error() -> list[type[HoldfastError]]:
    for module in walk_packages(holdfast.__path__, "holdfast."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    # An error with two parents is met twice.
    return list(dict.fromkeys(descendants(HoldfastError)))


def test_the_tree_in_the_docstring_is_the_tree_of_classes():
    path: list[str] = []
    described = {}
    for line in TREE_LINE.finditer(errors.__doc__ or ""):
        depth = len(line["stem"] or "") // 4
        path[depth:] = [line["name"]]
        described[line["name"]] = path[depth - 1] if depth else None
    declared = {error.__name__: error.__bases__[0].__name__ for error in descendants(HoldfastError)}
    ours = {name: base for name, base in declared.items() if getattr(errors, name, None)}
    assert described == {"HoldfastError": None, **ours}


def test_the_statuses_in_the_docstring_are_those_of_the_classes():
    for line in TREE_LINE.finditer(errors.__doc__ or ""):
        error = getattr(errors, line["name"])
        parent = error.__bases__[0]
        if line["exit"] is not None:
            assert (error.exit_code, error.http_status) == (int(line["exit"]), int(line["http"])), error
        elif error is not HoldfastError:
            assert (error.exit_code, error.http_status) == (parent.exit_code, parent.http_status), error


def test_no_two_errors_share_a_kind_or_a_number():
    everything = every_error()
    for attribute in ("kind", "number"):
        counts = Counter(getattr(error, attribute) for error in everything)
        assert [value for value, count in counts.items() if count > 1] == []


def test_numbers_stay_outside_the_ranges_the_protocol_keeps():
    assert all(error.number > 0 for error in every_error())


def test_an_error_says_what_happened_and_what_to_do():
    error = Conflict("The note changed.", hint="Read it again.", id="n1")
    assert str(error) == error.message == "The note changed."
    assert error.sentence() == "The note changed. Read it again."
    assert Conflict("The note changed.").sentence() == "The note changed."
    assert error.data == {"id": "n1"}


def test_kinds_run_from_the_nearest_to_the_root():
    assert RateLimited.kinds() == ("rate_limited", "busy", "error")
    assert issubclass(RateLimited, Busy)
