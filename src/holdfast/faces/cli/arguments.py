"""The fields of an input model as options and arguments, and their typed values as a dictionary.

Nothing is validated here. Typed text becomes the JSON value it spells, or stays text when it spells none; the
one validator then accepts or refuses it, with the same message as on every other face.

Descriptions and errors are written once for all faces, with the names of tools and fields. Here these names
are replaced by commands and options.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import click

from holdfast.faces.schema import Property, ValueShape, parse_value, properties_of
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
    """The default on the command line, where it differs from that of a tool call."""

    @property
    def key(self) -> str:
        """Return the name of the value in the parser's result."""
        return _WORD_BORDER.sub("_", self.value.name).lower()

    @property
    def option(self) -> str:
        """Return the long option."""
        return f"--{self.key.replace('_', '-')}"

    @property
    def is_list(self) -> bool:
        """Whether the value is given by repeating the option."""
        return self.value.shape.kind == "array"

    @property
    def is_flag(self) -> bool:
        """Whether the option takes no value."""
        return self.value.shape.kind == "boolean" and not self.is_positional

    @property
    def element(self) -> ValueShape:
        """Return the shape of one typed value."""
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
        """Return the allowed values, separated by `|`, or nothing if there is no fixed set."""
        return "|".join(str(choice) for choice in self.element.choices)

    @property
    def spelling(self) -> str:
        """Return the name that messages use for it."""
        return self._name if self.is_positional else self.option

    def parameter(self) -> click.Parameter:
        """Return the parameter for the parser. None is required there: the validator reports missing ones."""
        shared: dict[str, Any] = {"required": False, "default": None, "metavar": self.metavar}
        if self.is_flag:
            return click.Option([self.key, self._flag], is_flag=True, default=None, help=self.help)
        shared |= {"type": click.UNPROCESSED, "callback": self._read, "shell_complete": self._complete}
        if self.is_positional:
            return click.Argument([self.key], nargs=-1 if self.is_list else 1, **shared)
        names = [name for name in (self.key, self.short, self.option) if name is not None]
        if self.key == _AGENT:  # so that a loop of commands can set it once
            shared |= {"envvar": _AGENT_VARIABLE, "show_envvar": True}
        return click.Option(names, multiple=self.is_list, help=self.help, **shared)

    @property
    def help(self) -> str:
        """Return the description with notes: required, repeatable, choices, default."""
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
        """Return the default as it would be typed, or nothing if it is empty or off."""
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
            return parse_value(self.value.name, self.element, typed, _QUOTING)
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
    """Return a completion that lets the shell complete a file or directory name itself."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]


def command_arguments(operation: Operation) -> list[CommandArgument]:
    """Return an operation's arguments on the command line, positional ones first."""
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
    """Return the initial of a required option as its short form, if no other required option has the same.

    Optional ones get none, so that adding an option never changes what an existing short form means.
    """
    initial = f"-{argument.key[0]}"
    rivals = [item for item in options if item.value.required and item.key[0] == argument.key[0]]
    return initial if rivals == [argument] and initial != "-h" and not argument.is_flag else None


def wire_arguments(arguments: Iterable[CommandArgument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation's arguments from the parser's result, without those that were not given."""
    given = ((item.value.name, typed[item.key]) for item in arguments)
    return {name: value for name, value in given if value is not None}


@cache
def command_names() -> Mapping[str, str]:
    """Return the command of each tool of this installation."""
    from holdfast.faces.cli.catalogue import CATALOGUE

    return {
        item.operation.replace(".", "_"): f"holdfast {toolset.name} {item.command}"
        for toolset in CATALOGUE
        for item in toolset.commands
    }


def with_commands(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names of tools replaced by commands, and their fields by options."""
    replaced = _TOOL.sub(lambda found: f"`{names[found[1]]}`" if found[1] in names else found[0], text)
    return _OF_COMMAND.sub(lambda found: f"{found[1]}--{found[2].replace('_', '-')}", replaced)


def with_options(text: str, arguments: Sequence[CommandArgument]) -> str:
    """Return a text with names of fields replaced by options and positional arguments."""
    known = {item.value.name: item for item in arguments} | {item.key: item for item in arguments}

    def argument(found: re.Match[str]) -> str:
        item = known.get(found[2])
        if item is None:
            return found[0]
        kind = "argument" if item.is_positional else "option"
        choices = f" ({item.choices})" if found[1] and item.choices else ""
        # The index in a list means nothing to somebody who repeated an option.
        path = _INDEX.sub("", found[3]) if item.is_list else found[3]
        return f"{found[1] or ''}{kind} {item.spelling}{_inside(path)}{choices}"

    def field(found: re.Match[str]) -> str:
        return known[found[1]].spelling + _inside(found[2]) if found[1] in known else found[0]

    return _FIELD.sub(field, _ARGUMENT.sub(argument, text))


def _inside(path: str) -> str:
    return f" ({path[1:]})" if path else ""
