"""Parses JSON, TOML, YAML and XML from other programs or people, within limits.

Contract:
- The result is nested at most `LIMITS.foreign_depth` deep and has at most `LIMITS.foreign_values` values, so
  that code that walks through it needs no limit. Any other document raises `UnreadableDocument`.
- YAML is read without aliases and XML without entities: with them a kilobyte can expand beyond any memory
  (the "billion laughs" attack).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from holdfast.kernel.limits import LIMITS

_CONTAINERS = (dict, list)
_MAX_YAML_INTEGER_CHARACTERS = 1000
"""A judgement: well below the 4,300 digits that Python converts to an integer by default."""
_KEY = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_TOO_DEEP_KEY = rf"(?<![\w-]){_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{{LIMITS.foreign_depth}}}"
"""A TOML key with too many dots: `tomllib` takes time quadratic in their number."""
_XML_CHUNK_BYTES = 64 * 1024
"""The limits are checked after each chunk. A judgement: a chunk has some thousand elements."""
_TOO_LARGE = "it contains a number that is too large"


class UnreadableDocument(ValueError):
    """The text is not a document of the format, or exceeds the limits; `line` counts from 1, if known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Return the value of a JSON document; `hooks` are passed to `json.loads`."""
    try:
        return check_limits(json.loads(text, **hooks))
    except UnreadableDocument:
        raise
    except json.JSONDecodeError as error:
        reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise UnreadableDocument(reason, error.lineno) from None
    except UnicodeDecodeError:
        raise UnreadableDocument("it is not UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise UnreadableDocument(_TOO_LARGE) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML document."""
    import tomllib

    if re.search(_TOO_DEEP_KEY, text):
        raise _too_deep()
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except ValueError as error:
        has_message = isinstance(error, tomllib.TOMLDecodeError)
        raise UnreadableDocument(str(error) if has_message else _TOO_LARGE) from None
    except RecursionError:
        raise _too_deep() from None
    check_limits(table)
    return table


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML document without aliases."""
    import yaml

    if len(text) > LIMITS.foreign_yaml_characters:
        raise UnreadableDocument(f"it has more than {LIMITS.foreign_yaml_characters:,} characters")
    try:
        return check_limits(yaml.load(text, Loader=_plain_loader()))  # noqa: S506 # nosec B506 # from the safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is not YAML"
        raise UnreadableDocument(reason, None if mark is None else mark.line + 1) from None
    except UnreadableDocument:
        raise
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError):
        raise UnreadableDocument("it contains a value that does not match its tag") from None


def parse_xml(content: bytes) -> Iterator[tuple[str, dict[str, str] | None]]:
    """Yield the tags of an XML document: a start tag with its attributes, an end tag with None."""
    from xml.parsers import expat

    tags: list[tuple[str, dict[str, str] | None]] = []
    depth = count = 0

    def refuse(*_: object) -> Any:
        raise UnreadableDocument("it declares entities, which are not read")

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = parser.UnparsedEntityDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: tags.append((name, attributes))
    parser.EndElementHandler = lambda name: tags.append((name, None))
    for start in range(0, len(content) + 1, _XML_CHUNK_BYTES):
        part = content[start : start + _XML_CHUNK_BYTES]
        try:
            parser.Parse(part, len(part) < _XML_CHUNK_BYTES)
        except expat.ExpatError as error:
            raise UnreadableDocument(expat.errors.messages[error.code], error.lineno) from None
        except UnreadableDocument:
            raise
        except (LookupError, ValueError):  # from Python, where it looks up the encoding
            raise UnreadableDocument("it declares an encoding that is not read; use UTF-8") from None
        for _, attributes in tags:
            depth += -1 if attributes is None else 1
            count += 1
            if depth > LIMITS.foreign_depth:
                raise _too_deep()
        if count > LIMITS.foreign_values:
            raise _too_many()
        yield from tags
        tags.clear()


def check_limits(value: Any) -> Any:
    """Return the value itself if it is within the limits; otherwise raise `UnreadableDocument`."""
    containers = [value] if isinstance(value, _CONTAINERS) else []  # of one level of nesting
    count = 0
    for _ in range(LIMITS.foreign_depth):
        if not containers:
            return value
        count += sum(map(len, containers))
        if count > LIMITS.foreign_values:
            raise _too_many()
        contents = [item.values() if isinstance(item, dict) else item for item in containers]
        containers = [item for content in contents for item in content if isinstance(item, _CONTAINERS)]
    if containers:
        raise _too_deep()
    return value


def _too_many() -> UnreadableDocument:
    return UnreadableDocument(f"it contains more than {LIMITS.foreign_values:,} values")


def _too_deep() -> UnreadableDocument:
    return UnreadableDocument(f"it is nested more than {LIMITS.foreign_depth} deep")


@cache
def _plain_loader() -> type[Any]:
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Builds a tree of values; refuses aliases and too deep nesting."""

        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, "it uses aliases, which are not read", mark)
            self.depth += 1
            if self.depth > LIMITS.foreign_depth:
                raise _too_deep()
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    def construct_integer(loader: Any, node: Any) -> Any:
        if len(node.value) > _MAX_YAML_INTEGER_CHARACTERS:
            raise UnreadableDocument(_TOO_LARGE)
        return loader.construct_yaml_int(node)

    PlainLoader.add_constructor("tag:yaml.org,2002:int", construct_integer)
    return PlainLoader
