"""Routes that a specification of a web interface names: paths with parameters, results in an envelope.

Contract:
- Such a route runs an ordinary operation. The parameters of its path, and values that the path implies, are
  arguments.
- A success is `{"data": result}`, with the same JSON as in every other interface.
- A failure is sent as problem details whose `error` has a word instead of a number as its code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from http.client import responses
from typing import Any

from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from holdfast.faces.http.asgi import Headers
from holdfast.faces.http.problems import MethodNotAllowed, problem_document, problem_response
from holdfast.faces.http.settings import API_PATH, HEALTH_PATH
from holdfast.faces.rest.json_body import json_object
from holdfast.faces.rest.operations import OperationRoute
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.kernel.operation import Operation
from holdfast.kernel.route import Address

_UNPROCESSABLE_CONTENT = 422
"""RFC 9110, section 15.5.21."""

# The words that the specification names; any other failure has its kind in capitals.
_CODE_WORDS = {"invalid": "VALIDATION_ERROR", "out_of_date": "VERSION_CONFLICT", "internal": "INTERNAL_ERROR"}


class AddressRoute(OperationRoute):
    """The route of an operation at a path that a specification names."""

    def __init__(self, operation: Operation, address: Address, dispatcher: Dispatcher) -> None:
        super().__init__(operation, dispatcher)
        self.method = address.method
        self.status = address.status
        self._address = address

    def _arguments(self, scope: Scope, headers: Headers, body: bytes) -> Mapping[str, Any]:
        path_arguments = {**self._address.fixed, **scope["path_params"]}
        queried = self._query.arguments(scope["query_string"])
        sent = self._translate({**queried, **json_object(headers, body)} if body else queried)
        for name in sent.keys() - (self._address.takes or sent.keys()):
            raise InvalidArguments(f'"{name}" is not accepted here.', hint="Leave it out.", argument=name)
        for name in path_arguments.keys() & sent.keys():
            if sent[name] != path_arguments[name]:
                raise InvalidArguments(f'"{name}" is given by the path.', hint="Leave it out.", argument=name)
        return {**sent, **path_arguments}

    def _translate(self, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments with this interface's names and values replaced with the operation's."""
        address = self._address
        translated = {address.renamed.get(name, name): value for name, value in sent.items()}
        for name, values_by_word in address.meanings.items():
            value = translated.get(name)
            if isinstance(value, list) and len(value) == 1:  # an argument that a query may repeat
                value = value[0]
            if isinstance(value, str) and value in values_by_word:
                translated[name] = values_by_word[value]
        for name in address.members.keys() & translated.keys():
            target = address.members[name]
            members = translated.get(target) or {}
            if isinstance(members, dict) and name not in members:
                translated[target] = {**members, name: translated.pop(name)}
        return translated

    def _envelope(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"data": value}

    def _failure(self, failure: HoldfastError) -> Response:
        return word_coded_problem(failure)


class AddressPath:
    """The routes of one path, by method."""

    def __init__(self) -> None:
        self.routes: dict[str, AddressRoute] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self.routes.get(scope["method"])
        if route is None:
            allowed = ", ".join(sorted(self.routes))
            raise MethodNotAllowed(f"This path accepts {allowed}.", hint=f"Use {allowed}.", allowed=allowed)
        await route(scope, receive, send)


def address_routes(operations: Iterable[Operation], dispatcher: Dispatcher) -> list[Route]:
    """Return the routes of all addresses, those with fewer parameters first, so that literal paths win."""
    paths: defaultdict[str, AddressPath] = defaultdict(AddressPath)
    for operation in operations:
        for address in operation.addresses:
            route = AddressRoute(operation, address, dispatcher)
            for path in (API_PATH + address.path, f"/{address.path}"):
                if path.startswith(API_PATH) or path == HEALTH_PATH:
                    paths[path].routes[address.method] = route
    return [Route(path, paths[path]) for path in sorted(paths, key=lambda path: path.count("{"))]


def word_coded_problem(failure: HoldfastError) -> Response:
    """Return a failure as problem details with a word as the code and status 422 for refused arguments."""
    document = problem_document(failure)
    status = _UNPROCESSABLE_CONTENT if isinstance(failure, InvalidArguments) else failure.http_status
    error = document["error"]
    kinds = failure.kinds()
    word = next((_CODE_WORDS[kind] for kind in kinds if kind in _CODE_WORDS), kinds[0].upper())
    changed = {
        "status": status,
        "title": responses.get(status, failure.kind),
        "error": {**error, "code": word, "details": error["data"]},
    }
    return problem_response(failure, document | changed)
