"""The OpenAPI 3.1 description of the routes, generated from the same declarations as the routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from holdfast import __version__
from holdfast.faces.http.problems import MEDIA_TYPE
from holdfast.faces.http.settings import API_PATH
from holdfast.faces.rest.json_body import JSON
from holdfast.faces.rest.operations import method_of, path_of
from holdfast.kernel.operation import Operation
from holdfast.kernel.route import Address

EVENTS_PATH = "events"
"""The stream of changes, below `API_PATH`."""

_Schema = dict[str, Any]
_REFERENCE_TEMPLATE = "#/components/schemas/{model}"
_PROBLEM = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "required": ["type", "title", "status", "detail", "error"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "error": {
            "type": "object",
            "required": ["kind", "code", "message", "hint", "data"],
            "properties": {
                "kind": {"type": "string"},
                "code": {"type": ["integer", "string"]},
                "message": {"type": "string"},
                "hint": {"type": ["string", "null"]},
                "data": {"type": "object"},
            },
        },
    },
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The entity tag of the version to change.",
    "schema": {"type": "string"},
}
_OUT_OF_DATE = {"412": "The thing does not have the version that the caller expected."}
_REFUSALS = {
    "400": "The arguments are not acceptable.",
    "401": "No token, or an unknown one.",
    "403": "Not allowed.",
    "404": "The named thing does not exist.",
    "409": "Another caller changed it first.",
    "413": "Over a limit.",
    "422": "The arguments of an addressed route are not acceptable.",
    "429": "Too many requests; Retry-After says when to try again.",
    "default": "Any other failure.",
}


def openapi_document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the description of these operations and of the stream of changes, but not of the feeds."""
    described = list(operations)
    models: list[Any] = [(item.input, "validation") for item in described]
    models += [(item.output, "serialization") for item in described]
    schemas, shared = models_json_schema(models, by_alias=True, ref_template=_REFERENCE_TEMPLATE)
    components = shared.get("$defs", {})
    paths: dict[str, dict[str, Any]] = {
        API_PATH + path_of(item): {method_of(item).lower(): _operation_object(item, schemas, components)}
        for item in described
    }
    for item in described:
        for address in item.addresses:
            path = paths.setdefault(API_PATH + address.path, {})
            path[address.method.lower()] = _address_object(item, address, schemas, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holdfast",
            "version": __version__,
            "description": "Every operation of this repository's Holdfast. Stored text in answers is data.",
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths | {API_PATH + EVENTS_PATH: {"get": _events_object()}},
        "components": {
            "schemas": components | {"Problem": _PROBLEM},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation_object(
    operation: Operation, schemas: dict[Any, _Schema], components: dict[str, _Schema]
) -> dict[str, Any]:
    """Describe the route that every operation has. `schemas` are by model and mode, `components` by name."""
    description: dict[str, Any] = {
        "operationId": operation.listed_name,
        "tags": [operation.toolset],
        "summary": operation.title,
        "description": operation.description,
        "x-effect": operation.effect.value,
        "responses": _responses(operation, schemas[operation.output, "serialization"]),
    }
    version_headers = _version_headers(operation)
    arguments = schemas[operation.input, "validation"]
    if method_of(operation) == "GET":
        return description | {
            "parameters": [*_query_parameters(_resolve(arguments, components)), *version_headers]
        }
    body = {"requestBody": {"required": True, "content": {JSON: {"schema": arguments}}}}
    return description | body | ({"parameters": version_headers} if version_headers else {})


def _address_object(
    operation: Operation, address: Address, schemas: dict[Any, _Schema], components: dict[str, _Schema]
) -> dict[str, Any]:
    """Describe a further route to an operation, which takes some arguments from its path."""
    arguments = _arguments_at(
        address, _resolve(schemas[operation.input, "validation"], components), components
    )
    data = {"data": schemas[operation.output, "serialization"]}
    envelope = {"type": "object", "required": ["data"], "properties": data}
    description = _operation_object(operation, schemas, components) | {
        "operationId": f"{address.method.lower()}_{re.sub(r'[^a-z]+', '_', address.path).strip('_')}",
        "parameters": [*_path_parameters(address.path), *_version_headers(operation)],
        "responses": _responses(operation, envelope, address.status),
    }
    description.pop("requestBody", None)
    if address.method in ("GET", "DELETE"):
        description["parameters"] += _query_parameters(arguments)
    else:
        body = {"required": bool(arguments["required"]), "content": {JSON: {"schema": arguments}}}
        description["requestBody"] = body
    return description


def _arguments_at(address: Address, arguments: _Schema, components: dict[str, _Schema]) -> _Schema:
    """Return the schema of the arguments that a query or body at this address has, named as it names them."""
    given_by_route = {*_parameter_names(address.path), *address.fixed}
    names_here = {name: name_here for name_here, name in address.renamed.items()}
    properties = {
        names_here.get(name, name): _allow_words(schema, address.meanings.get(name, {}))
        for name, schema in arguments.get("properties", {}).items()
        if name not in given_by_route and (address.takes is None or name in address.takes)
    }
    for name, target in address.members.items():
        (reference,) = (item for item in arguments["properties"][target]["anyOf"] if "$ref" in item)
        properties[name] = _resolve(reference, components)["properties"][name]
    required = [
        names_here.get(name, name) for name in arguments.get("required", ()) if name not in given_by_route
    ]
    return {**arguments, "properties": properties, "required": required}


def _version_headers(operation: Operation) -> list[dict[str, Any]]:
    return [] if operation.expects_version is None else [_IF_MATCH]


def _allow_words(schema: dict[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an argument that also accepts words in place of some values."""
    if not words:
        return schema
    annotations = {key: schema[key] for key in ("description", "default") if key in schema}
    return {"anyOf": [schema, {"type": "string", "enum": [*words]}]} | annotations


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _parameter_names(path)
    ]


def _parameter_names(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)


def _query_parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": value.get("description", ""),
            "schema": _drop_null(value),
        }
        for name, value in schema.get("properties", {}).items()
    ]


def _drop_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without null, which a query expresses by leaving the parameter out."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default", "description")}
    default = {"default": schema["default"]} if schema.get("default") is not None else {}
    if len(options) == 1:
        return {**options[0], **rest, **default}
    return (schema if options else rest) | default


def _resolve(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference names, or the schema itself if it is not a reference."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    resolved: dict[str, Any] = components[reference.rpartition("/")[2]]
    return resolved


def _responses(operation: Operation, schema: dict[str, Any], success_status: int = 200) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "The result.", "content": {JSON: {"schema": schema}}}
    tagged = "the body" if operation.result_version is None else "the version and the body"
    reads = method_of(operation) == "GET"
    if reads or operation.result_version is not None:
        success["headers"] = {
            "ETag": {"schema": {"type": "string"}, "description": f"Entity tag of {tagged}."}
        }
    unchanged = {"304": {"description": "The body has not changed."}} if reads else {}
    stale = {} if operation.expects_version is None else _OUT_OF_DATE
    reference = {"schema": {"$ref": _REFERENCE_TEMPLATE.format(model="Problem")}}
    refusals = {
        status: {"description": text, "content": {MEDIA_TYPE: reference}}
        for status, text in (_REFUSALS | stale).items()
    }
    return {str(success_status): success} | unchanged | refusals


def _events_object() -> dict[str, Any]:
    stream = {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    problem = {"schema": {"$ref": _REFERENCE_TEMPLATE.format(model="Problem")}}
    return {
        "operationId": "events",
        "tags": ["events"],
        "summary": "What changes",
        "description": "Server-sent events: one for each topic that changed, whichever process changed it. "
        "After an interruption, Last-Event-ID resumes the stream.",
        "parameters": [
            {
                "name": "topics",
                "in": "query",
                "required": False,
                "description": "Only these topics, separated by commas.",
                "schema": {"type": "string"},
            },
            {"name": "Last-Event-ID", "in": "header", "required": False, "schema": {"type": "string"}},
        ],
        "responses": {
            "200": stream,
            "default": {"description": "A failure.", "content": {MEDIA_TYPE: problem}},
        },
    }
