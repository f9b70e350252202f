"""Converts the fields of an input model to options and arguments, and typed text to the values of fields.

Nothing is validated here. Typed text becomes the JSON value that it stands for, or stays text if it is none;
the validator then accepts or refuses it, with the same message as in every other interface.

Descriptions and errors are written once for all interfaces, with the names of tools and fields. For the
command line these names are replaced by commands and options.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import click

from holdfast.faces.cli.options import path_completion
from holdfast.faces.schema import Property, ValueShape, parse_value, properties_of
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Operation

_TOOL_NAME = re.compile(r"`?\b([a-z]+(?:_[a-z]+)+)\b`?")
# A field that follows a command which has replaced a tool: "`holdfast tasks add` with `task_id`".
_FIELD_OF_COMMAND = re.compile(r"(`holdfast [^`]+`(?: \S+)? (?:and|with) )`([a-z_]+)`")
# A field, and the path of a member in it: "`tasks.0.title`".
_FIELD_NAME = re.compile(r"`([A-Za-z_]+)((?:\.\w+)*)`")
_ARGUMENT_IN_ERROR = re.compile(r'(missing )?argument "([A-Za-z_]+)((?:\.\w+)*)"')
_LIST_INDEX = re.compile(r"^\.\d+")
_METAVARS = {"string": "TEXT", "integer": "INTEGER", "number": "NUMBER"}
_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JSON_HINT = """Quote it for the shell: '{"name": "value"}'."""
_AGENT = "agent"
AGENT_VARIABLE = "HOLDFAST_AGENT"
# The arguments whose values a shell completes with the names of files.
_FILE_ARGUMENT = re.compile(r"(^|_)(file|path)s?$")


class CommandArgument(NamedTuple):
    """One field of an operation's input as an option or argument of its command."""

    value: Property
    is_positional: bool
    short: str | None = None
    command_default: str | None = None
    """The default on the command line, if it differs from that of a tool call."""

    @property
    def key(self) -> str:
        """The name of the value in the parser's result."""
        return _WORD_BORDER.sub("_", self.value.name).lower()

    @property
    def option(self) -> str:
        return f"--{self.key.replace('_', '-')}"

    @property
    def is_list(self) -> bool:
        """Whether the value is given by repeating the option."""
        return self.value.shape.kind == "array"

    @property
    def is_flag(self) -> bool:
        return self.value.shape.kind == "boolean" and not self.is_positional

    @property
    def element(self) -> ValueShape:
        """The shape of one typed value."""
        return self.value.shape.items if self.is_list else self.value.shape

    @property
    def metavar(self) -> str:
        """The placeholder that help shows for the value."""
        if not self.is_positional:
            return self.choices or _METAVARS.get(self.element.kind, "JSON")
        name = self._name if self._is_needed else f"[{self._name}]"
        return f"{name}..." if self.is_list else name

    @property
    def choices(self) -> str:
        """The allowed values, separated by `|`; empty if there is no fixed set."""
        return "|".join(str(choice) for choice in self.element.choices)

    @property
    def spelling(self) -> str:
        """The name that messages use for the argument."""
        return self._name if self.is_positional else self.option

    def parameter(self) -> click.Parameter:
        """Return the parameter for the parser. It is never required: the validator reports missing values."""
        shared: dict[str, Any] = {"required": False, "default": None, "metavar": self.metavar}
        if self.is_flag:
            return click.Option([self.key, self._flag], is_flag=True, default=None, help=self.help)
        shared |= {"type": click.UNPROCESSED, "callback": self._read, "shell_complete": self._complete}
        if self.is_positional:
            return click.Argument([self.key], nargs=-1 if self.is_list else 1, **shared)
        names = [name for name in (self.key, self.short, self.option) if name is not None]
        if self.key == _AGENT:  # so that a loop of commands can set it once
            shared |= {"envvar": AGENT_VARIABLE, "show_envvar": True}
        return click.Option(names, multiple=self.is_list, help=self.help, **shared)

    @property
    def help(self) -> str:
        """The description with notes: required, repeatable, choices, default."""
        notes = ["required"] if self._is_needed else []
        if self.is_list and not self.is_positional:
            notes.append("may be repeated")
        if self.is_positional and self.choices:
            notes.append(f"one of: {self.choices.replace('|', ', ')}")
        if self.default_text:
            notes.append(f"default: {self.default_text}")
        description = name_commands(self.value.description, command_names())
        return f"{description}  [{'; '.join(notes)}]" if notes else description

    @property
    def default_text(self) -> str:
        """The default as a user would type it; empty if it is empty or false."""
        if self.command_default is not None:
            return self.command_default
        default = self.value.default
        if default in (None, "", [], {}) or default is False:
            return ""
        return default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)

    @property
    def _is_needed(self) -> bool:
        return self.value.required and self.command_default is None

    @property
    def _name(self) -> str:
        return self.option.removeprefix("--").upper()

    @property
    def _flag(self) -> str:
        is_off_by_default = self.value.default is False and not self.value.shape.nullable
        if is_off_by_default:
            return self.option
        return f"{self.option}/--no-{self.option.removeprefix('--')}"

    def _read(self, _context: click.Context, _parameter: click.Parameter, typed: Any) -> Any:
        if typed is None or typed == ():
            return None
        return [self._value(item) for item in typed] if self.is_list else self._value(typed)

    def _value(self, typed: str) -> Any:
        try:
            return parse_value(self.value.name, self.element, typed, _JSON_HINT)
        except InvalidArguments as error:
            error.message = name_options(error.message, [self])
            raise

    def _complete(self, _context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[Any]:
        choices = [str(choice) for choice in self.element.choices]
        if not choices and _FILE_ARGUMENT.search(self.key):
            return path_completion(incomplete, "file")
        return [choice for choice in choices if choice.startswith(incomplete)]


def command_arguments(operation: Operation) -> list[CommandArgument]:
    """Return an operation's arguments on the command line, positional ones first."""
    properties = {item.name: item for item in properties_of(operation.input)}
    wire_name = {field: info.alias or field for field, info in operation.input.model_fields.items()}
    positional = [wire_name.get(name, name) for name in operation.positional]
    defaults = operation.command_defaults
    options = [
        CommandArgument(item, is_positional=False, command_default=defaults.get(name))
        for name, item in properties.items()
        if name not in positional
    ]
    return [
        *(
            CommandArgument(properties[name], is_positional=True, command_default=defaults.get(name))
            for name in positional
        ),
        *(option._replace(short=_short_form(option, options)) for option in options),
    ]


def _short_form(argument: CommandArgument, options: Iterable[CommandArgument]) -> str | None:
    """Return the initial of a required option as its short form, unless another required option shares it.

    Optional options have none, so that a new option never changes the meaning of an existing short form.
    """
    initial = f"-{argument.key[0]}"
    candidates = [item for item in options if item.value.required and item.key[0] == argument.key[0]]
    is_free = candidates == [argument] and initial != "-h"
    return initial if is_free and not argument.is_flag else None


def wire_arguments(arguments: Iterable[CommandArgument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation's arguments from the parser's result, without those that were not given."""
    values = ((item.value.name, typed[item.key]) for item in arguments)
    return {name: value for name, value in values if value is not None}


@cache
def command_names() -> Mapping[str, str]:
    """Return the command of each tool of this installation."""
    from holdfast.faces.cli.catalogue import CATALOGUE

    return {
        item.operation.replace(".", "_"): f"holdfast {toolset.name} {item.command}"
        for toolset in CATALOGUE
        for item in toolset.commands
    }


def name_commands(text: str, names: Mapping[str, str]) -> str:
    """Return a text with the names of tools replaced by commands, and those of their fields by options."""

    def command(match: re.Match[str]) -> str:
        return f"`{names[match[1]]}`" if match[1] in names else match[0]

    def option(match: re.Match[str]) -> str:
        return f"{match[1]}--{match[2].replace('_', '-')}"

    return _FIELD_OF_COMMAND.sub(option, _TOOL_NAME.sub(command, text))


def name_options(text: str, arguments: Sequence[CommandArgument]) -> str:
    """Return a text with the names of fields replaced by options and positional arguments."""
    by_name = {item.value.name: item for item in arguments} | {item.key: item for item in arguments}

    def argument(match: re.Match[str]) -> str:
        item = by_name.get(match[2])
        if item is None:
            return match[0]
        kind = "argument" if item.is_positional else "option"
        choices = f" ({item.choices})" if match[1] and item.choices else ""
        # A user who repeated an option does not know the index in the list.
        path = _LIST_INDEX.sub("", match[3]) if item.is_list else match[3]
        return f"{match[1] or ''}{kind} {item.spelling}{_in_parentheses(path)}{choices}"

    def field(match: re.Match[str]) -> str:
        if match[1] not in by_name:
            return match[0]
        return by_name[match[1]].spelling + _in_parentheses(match[2])

    return _FIELD_NAME.sub(field, _ARGUMENT_IN_ERROR.sub(argument, text))


def _in_parentheses(path: str) -> str:
    return f" ({path[1:]})" if path else ""
