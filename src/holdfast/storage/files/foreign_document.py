"""Documents that other programs or people wrote, read within bounds: JSON, TOML, YAML and XML.

Contract:
- The result is nested at most `LIMITS.foreign_depth` deep and has at most `LIMITS.foreign_values` values, so
  that code that walks through it needs no bound of its own. Anything else is `UnreadableDocument`.
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
_LONGEST_NUMBER = 1000
"""In characters. A judgement: Python converts integers of up to 4,300 digits by default."""
_KEY = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_LONG_KEY = rf"(?<![\w-]){_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{{LIMITS.foreign_depth}}}"
"""A key of TOML with too many dots: `tomllib` takes time quadratic in their number."""
_XML_PART = 1 << 16
_TOO_LARGE = "it contains a number that is too large"


class UnreadableDocument(ValueError):
    """The text is no such document, or exceeds the bounds; `line` is where, if known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Return the value of a JSON document; `hooks` are those of `json.loads`."""
    try:
        return bounded(json.loads(text, **hooks))
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

    if re.search(_LONG_KEY, text):
        raise _too_deep()
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except ValueError as error:
        has_message = isinstance(error, tomllib.TOMLDecodeError)
        raise UnreadableDocument(str(error) if has_message else _TOO_LARGE) from None
    except RecursionError:
        raise _too_deep() from None
    bounded(table)
    return table


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML document without aliases."""
    import yaml

    if len(text) > LIMITS.foreign_yaml_characters:
        raise UnreadableDocument(f"it has more than {LIMITS.foreign_yaml_characters:,} characters")
    try:
        return bounded(yaml.load(text, Loader=_plain_loader()))  # noqa: S506 # nosec B506 # from the safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is not YAML"
        raise UnreadableDocument(reason, None if mark is None else mark.line + 1) from None
    except UnreadableDocument:
        raise
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError):
        raise UnreadableDocument("it contains a value that does not match its tag") from None


def parse_xml(content: bytes) -> Iterator[tuple[str, dict[str, str] | None]]:
    """Yield the elements of an XML document: a name with its attributes, then the name with None."""
    from xml.parsers import expat

    found: list[tuple[str, dict[str, str] | None]] = []
    depth = seen = 0

    def refuse(*_: object) -> Any:
        raise UnreadableDocument("it declares entities, which are not read")

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = parser.UnparsedEntityDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    parser.EndElementHandler = lambda name: found.append((name, None))
    for start in range(0, len(content) + 1, _XML_PART):
        part = content[start : start + _XML_PART]
        try:
            parser.Parse(part, len(part) < _XML_PART)
        except expat.ExpatError as error:
            raise UnreadableDocument(expat.errors.messages[error.code], error.lineno) from None
        for _, attributes in found:
            depth += -1 if attributes is None else 1
            seen += 1
            if depth > LIMITS.foreign_depth:
                raise _too_deep()
        if seen > LIMITS.foreign_values:
            raise UnreadableDocument(f"it contains more than {LIMITS.foreign_values:,} values")
        yield from found
        found.clear()


def bounded(value: Any) -> Any:
    """Return a value if it is within the bounds, or raise `UnreadableDocument`."""
    level, seen = [item for item in (value,) if isinstance(item, _CONTAINERS)], 0
    for _ in range(LIMITS.foreign_depth):
        if not level:
            return value
        seen += sum(map(len, level))
        if seen > LIMITS.foreign_values:
            raise UnreadableDocument(f"it contains more than {LIMITS.foreign_values:,} values")
        parts = [item.values() if isinstance(item, dict) else item for item in level]
        level = [part for some in parts for part in some if isinstance(part, _CONTAINERS)]
    if level:
        raise _too_deep()
    return value


def _too_deep() -> UnreadableDocument:
    return UnreadableDocument(f"it is nested more than {LIMITS.foreign_depth} deep")


@cache
def _plain_loader() -> type[Any]:
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Builds a tree of values, and stops where it gets too deep."""

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

    def whole_number(loader: Any, node: Any) -> Any:
        if len(node.value) > _LONGEST_NUMBER:
            raise UnreadableDocument(_TOO_LARGE)
        return loader.construct_yaml_int(node)

    PlainLoader.add_constructor("tag:yaml.org,2002:int", whole_number)
    return PlainLoader
