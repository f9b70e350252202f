"""What other faces call a tool or a field, in the words of the command line.

Descriptions and errors are written once, for all faces, with the names of tools and of their fields. Here a
tool is a command, and a field an option or an argument in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.faces.cli.arguments import CommandArgument

_TOOL = re.compile(r"`?\b([a-z]+(?:_[a-z]+)+)\b`?")
_FIELD = re.compile(r"`([A-Za-z_]+)`")
_ARGUMENT = re.compile(r'(missing )?argument "([A-Za-z_]+)((?:\.\w+)*)"')


@cache
def command_names() -> Mapping[str, str]:
    """Return what is typed for each tool of this installation."""
    from holdfast.faces.cli.catalogue import CATALOGUE

    return {
        item.operation: f"holdfast {toolset.name} {item.command}"
        for toolset in CATALOGUE
        for item in toolset.commands
    }


def with_commands(text: str, names: Mapping[str, str]) -> str:
    """Return a text with commands for the tools it names."""
    return _TOOL.sub(lambda found: f"`{names[found[1]]}`" if found[1] in names else found[0], text)


def with_options(text: str, arguments: Iterable[CommandArgument]) -> str:
    """Return a text with options, and arguments in their place, for the fields it names."""
    known = {item.value.name: item for item in arguments} | {item.key: item for item in arguments}

    def argument(found: re.Match[str]) -> str:
        item = known.get(found[2])
        if item is None:
            return found[0]
        kind = "argument" if item.is_positional else "option"
        choices = f" ({item.choices})" if found[1] and item.choices else ""
        within = f" ({found[3][1:]})" if found[3] else ""
        return f"{found[1] or ''}{kind} {item.spelling}{within}{choices}"

    text = _ARGUMENT.sub(argument, text)
    return _FIELD.sub(lambda found: known[found[1]].spelling if found[1] in known else found[0], text)
