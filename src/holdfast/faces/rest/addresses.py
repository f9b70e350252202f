"""Routes that a specification of a web interface names: paths with parts, results in an envelope.

Contract:
- Such a route runs an ordinary operation; parts of its path and what it stands for are arguments.
- A success is `{"data": result}`, the result being the same JSON as on every other face.
- A failure is problem details whose `error` says its code in a word, as these interfaces do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Scope

from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.problems import MEDIA_TYPE, MethodNotAllowed, problem, problem_document
from holdfast.faces.render.json_text import json_text
from holdfast.faces.rest.operations import OperationRoute, json_object
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.kernel.operation import Operation
from holdfast.kernel.resource import Address

UNPROCESSABLE = 422

_WORDS = {"invalid": "VALIDATION_ERROR", "out_of_date": "VERSION_CONFLICT", "internal": "INTERNAL_ERROR"}


class AddressRoute(OperationRoute):
    """Answers the requests for an operation at one address of its own."""

    def __init__(self, operation: Operation, address: Address, dispatcher: Dispatcher) -> None:
        super().__init__(operation, dispatcher)
        self.method = address.method
        self.status = address.status
        self._address = address

    def _arguments(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        stated = {**self._address.fixed, **scope["path_params"]}
        given = self._meant(self._given(scope, headers, body))
        for name in given.keys() - (self._address.takes or given.keys()):
            raise InvalidArguments(f'"{name}" is not taken here.', hint="Leave it out.", argument=name)
        for name in stated.keys() & given.keys():
            if given[name] != stated[name]:
                raise InvalidArguments(f'"{name}" is told by the path.', hint="Leave it out.", argument=name)
        return {**given, **stated}

    def _meant(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments under their own names, with the values that this interface's words stand for."""
        address = self._address
        meant = {address.renamed.get(name, name): value for name, value in given.items()}
        for name, words in address.meanings.items():
            said = meant.get(name)
            said = said[0] if isinstance(said, list) and len(said) == 1 else said
            if isinstance(said, str) and said in words:
                meant[name] = words[said]
        return meant

    def _given(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        queried = self._query.arguments(scope["query_string"])
        return {**queried, **json_object(headers, body)} if body else queried

    def _wrapped(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"data": value}

    def _failure(self, failure: HoldfastError) -> Response:
        return worded_problem(failure)


class AddressBook:
    """Finds the route for a path whose parts are arguments."""

    def __init__(self, operations: Iterable[Operation], dispatcher: Dispatcher) -> None:
        self._routes = [
            (compile_path(f"/{address.path}")[0], AddressRoute(operation, address, dispatcher))
            for operation in operations
            for address in operation.addresses
        ]

    def find(self, method: str, path: str) -> tuple[AddressRoute, dict[str, str]] | None:
        """Return the route and the parts of the path, or None when no address is like it."""
        matches = [
            (route, {name: unquote(part) for name, part in found.groupdict().items()})
            for pattern, route in self._routes
            if (found := pattern.fullmatch(f"/{path}")) is not None
        ]
        if not matches:
            return None
        # A path that is spelled out is not also one with a part of that name.
        fewest = min(len(parts) for _, parts in matches)
        matches = [found for found in matches if len(found[1]) == fewest]
        for route, parts in matches:
            if route.method == method:
                return route, parts
        allowed = ", ".join(sorted({route.method for route, _ in matches}))
        raise MethodNotAllowed(f"This answers to {allowed}.", hint=f"Ask with {allowed}.", allowed=allowed)


def worded_problem(failure: HoldfastError) -> Response:
    """Return a failure whose code is a word; arguments that were refused are unprocessable."""
    document = problem_document(failure)
    status = UNPROCESSABLE if isinstance(failure, InvalidArguments) else failure.http_status
    error = document["error"]
    document |= {"status": status, "error": {**error, "code": _word(failure), "details": error["data"]}}
    plain = problem(failure)
    return Response(
        json_text(document, for_a_person=False),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers={
            name: value
            for name, value in plain.headers.items()
            if name not in ("content-length", "content-type")
        },
    )


def _word(failure: HoldfastError) -> str:
    kinds = failure.kinds()
    return next((_WORDS[kind] for kind in kinds if kind in _WORDS), kinds[0].upper())
