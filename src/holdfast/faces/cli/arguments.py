"""From the named values of an input model to options and arguments, and back to a plain dictionary.

Parsing is all that happens here. What is typed is turned into the JSON value it spells, and handed
on as typed when it spells none: whether it is acceptable is for the one validator to say, in the
same words as over every other face.

Descriptions and errors are written once, for all faces, with the names of tools and of their fields. Here a
tool is called by its command, and a field by its option or its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import click

from holdfast.faces.schema import Property, Shape, properties_of, spelled_value
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Operation

_TOOL = re.compile(r"`?\b([a-z]+(?:_[a-z]+)+)\b`?")
_OF_COMMAND = re.compile(r"(`holdfast [^`]+`(?: \S+)? (?:and|with) )`([a-z_]+)`")
_FIELD = re.compile(r"`([A-Za-z_]+)((?:\.\w+)*)`")
_ARGUMENT = re.compile(r'(missing )?argument "([A-Za-z_]+)((?:\.\w+)*)"')
_INDEX = re.compile(r"^\.\d+")
_METAVARS = {"string": "TEXT", "integer": "INTEGER", "number": "NUMBER"}
_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUOTING = """Quote it for the shell: '{"name": "value"}'."""
_AGENT, _AGENT_VARIABLE = "agent", "HOLDFAST_AGENT"
_FILE_NAME = re.compile(r"(^|_)(file|path)s?$")


class CommandArgument(NamedTuple):
    """One value of an operation as the command line takes it."""

    value: Property
    is_positional: bool
    short: str | None = None
    stated_default: str | None = None
    """What is taken when it is left out, where that is not the default of a program."""

    @property
    def key(self) -> str:
        """Return the name under which the parser keeps the value."""
        return _WORD_BORDER.sub("_", self.value.name).lower()

    @property
    def option(self) -> str:
        """Return the spelling of the option."""
        return f"--{self.key.replace('_', '-')}"

    @property
    def is_list(self) -> bool:
        """Whether the value is given by repeating the option."""
        return self.value.shape.kind == "array"

    @property
    def is_flag(self) -> bool:
        """Whether naming the option is all there is to say."""
        return self.value.shape.kind == "boolean" and not self.is_positional

    @property
    def element(self) -> Shape:
        """Return the shape of what is typed at one place."""
        return self.value.shape.items if self.is_list else self.value.shape

    @property
    def metavar(self) -> str:
        """Return the placeholder that help shows for the value."""
        if not self.is_positional:
            return self.choices or _METAVARS.get(self.element.kind, "JSON")
        name = self._name if self._is_needed else f"[{self._name}]"
        return f"{name}..." if self.is_list else name

    @property
    def choices(self) -> str:
        """Return the values it takes, where these are few."""
        return "|".join(str(choice) for choice in self.element.choices)

    @property
    def spelling(self) -> str:
        """Return how it is called where somebody has to type it."""
        return self._name if self.is_positional else self.option

    def parameter(self) -> click.Parameter:
        """Return the parser's view of it. Nothing is required there: the validator asks for it."""
        shared: dict[str, Any] = {"required": False, "default": None, "metavar": self.metavar}
        if self.is_flag:
            return click.Option([self.key, self._flag], is_flag=True, default=None, help=self.help)
        shared |= {"type": click.UNPROCESSED, "callback": self._read, "shell_complete": self._complete}
        if self.is_positional:
            return click.Argument([self.key], nargs=-1 if self.is_list else 1, **shared)
        names = [name for name in (self.key, self.short, self.option) if name is not None]
        if self.key == _AGENT:  # said once for all commands of a loop
            shared |= {"envvar": _AGENT_VARIABLE, "show_envvar": True}
        return click.Option(names, multiple=self.is_list, help=self.help, **shared)

    @property
    def help(self) -> str:
        """Return the description with what the caller may leave out."""
        notes = ["required"] if self._is_needed else []
        if self.is_list and not self.is_positional:
            notes.append("may be repeated")
        if self.is_positional and self.choices:
            notes.append(f"one of: {self.choices.replace('|', ', ')}")
        if self.spelled_default:
            notes.append(f"default: {self.spelled_default}")
        description = with_commands(self.value.description, command_names())
        return f"{description}  [{'; '.join(notes)}]" if notes else description

    @property
    def spelled_default(self) -> str:
        """Return the default as it would be typed, or nothing when leaving the value out says it all."""
        if self.stated_default is not None:
            return self.stated_default
        default = self.value.default
        if default in (None, "", [], {}) or default is False:
            return ""
        return default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)

    @property
    def _is_needed(self) -> bool:
        return self.value.required and self.stated_default is None

    @property
    def _name(self) -> str:
        return self.option.removeprefix("--").upper()

    @property
    def _flag(self) -> str:
        starts_off = self.value.default is False and not self.value.shape.nullable
        return self.option if starts_off else f"{self.option}/--no-{self.option.removeprefix('--')}"

    def _read(self, context: click.Context, parameter: click.Parameter, typed: Any) -> Any:
        del context, parameter
        if typed is None or typed == ():
            return None
        return [self._value(item) for item in typed] if self.is_list else self._value(typed)

    def _value(self, typed: str) -> Any:
        try:
            return spelled_value(self.value.name, self.element, typed, _QUOTING)
        except InvalidArguments as error:
            error.message = with_options(error.message, [self])
            raise

    def _complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
        del context, parameter
        choices = [str(choice) for choice in self.element.choices]
        if not choices and _FILE_NAME.search(self.key):
            return path_completion(incomplete, "file")
        return [choice for choice in choices if choice.startswith(incomplete)]


def path_completion(incomplete: str, kind: str) -> list[Any]:
    """Return what makes a shell complete the name of a file or directory by itself."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]


def command_arguments(operation: Operation) -> list[CommandArgument]:
    """Return what an operation takes on the command line: positional values first, in their order."""
    named = {item.name: item for item in properties_of(operation.input)}
    wire_name = {field: info.alias or field for field, info in operation.input.model_fields.items()}
    positional = [wire_name.get(name, name) for name in operation.positional]
    stated = operation.command_defaults
    rest = [
        CommandArgument(item, is_positional=False, stated_default=stated.get(name))
        for name, item in named.items()
        if name not in positional
    ]
    return [
        *(CommandArgument(named[name], True, stated_default=stated.get(name)) for name in positional),
        *(argument._replace(short=_short_form(argument, rest)) for argument in rest),
    ]


def _short_form(argument: CommandArgument, options: Iterable[CommandArgument]) -> str | None:
    """Return the initial of a required option, if no other required one begins with it.

    What is optional gets none, so that a new option never takes away an old spelling.
    """
    initial = f"-{argument.key[0]}"
    rivals = [item for item in options if item.value.required and item.key[0] == argument.key[0]]
    return initial if rivals == [argument] and initial != "-h" and not argument.is_flag else None


def wire_arguments(arguments: Iterable[CommandArgument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed as the operation's arguments; what was not typed is left out."""
    given = ((item.value.name, typed[item.key]) for item in arguments)
    return {name: value for name, value in given if value is not None}


@cache
def command_names() -> Mapping[str, str]:
    """Return what is typed for each tool of this installation."""
    from holdfast.faces.cli.catalogue import CATALOGUE

    return {
        item.operation.replace(".", "_"): f"holdfast {toolset.name} {item.command}"
        for toolset in CATALOGUE
        for item in toolset.commands
    }


def with_commands(text: str, names: Mapping[str, str]) -> str:
    """Return a text with commands for the tools it names, and options for what is named with one."""
    told = _TOOL.sub(lambda found: f"`{names[found[1]]}`" if found[1] in names else found[0], text)
    return _OF_COMMAND.sub(lambda found: f"{found[1]}--{found[2].replace('_', '-')}", told)


def with_options(text: str, arguments: Sequence[CommandArgument]) -> str:
    """Return a text with options, and arguments in their place, for the fields it names."""
    known = {item.value.name: item for item in arguments} | {item.key: item for item in arguments}

    def argument(found: re.Match[str]) -> str:
        item = known.get(found[2])
        if item is None:
            return found[0]
        kind = "argument" if item.is_positional else "option"
        choices = f" ({item.choices})" if found[1] and item.choices else ""
        # Of an option that may be repeated, nobody typed the place in the list.
        path = _INDEX.sub("", found[3]) if item.is_list else found[3]
        return f"{found[1] or ''}{kind} {item.spelling}{_inside(path)}{choices}"

    def field(found: re.Match[str]) -> str:
        return known[found[1]].spelling + _inside(found[2]) if found[1] in known else found[0]

    return _FIELD.sub(field, _ARGUMENT.sub(argument, text))


def _inside(path: str) -> str:
    return f" ({path[1:]})" if path else ""
