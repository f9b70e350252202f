"""`server.json`, the entry for the registry of MCP servers, held against the program it describes."""

from __future__ import annotations

import json
import re
import tomllib

import click

from holdfast import __version__
from holdfast.faces.cli.serve import serve_command
from tests.conftest import ROOT

ENTRY = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
[PACKAGE] = ENTRY["packages"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_it_names_this_package_in_this_version() -> None:
    assert ENTRY["version"] == PACKAGE["version"] == __version__
    assert (PACKAGE["registryType"], PACKAGE["identifier"]) == ("pypi", PROJECT["name"])
    assert PACKAGE["identifier"] in PROJECT["scripts"], "uvx runs the program named like the package"
    assert PACKAGE["transport"] == {"type": "stdio"}


def test_it_keeps_to_what_the_registry_accepts() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", ENTRY["name"])
    assert 1 <= len(ENTRY["description"]) <= 100
    assert "registryBaseUrl" not in PACKAGE, "the usual one is meant"


def test_the_readme_proves_that_name_and_package_belong_together() -> None:
    """The registry looks for this in the description of the published package."""
    readme = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    assert re.findall(r"^<!-- mcp-name: (\S+) -->$", readme, re.MULTILINE) == [ENTRY["name"]]


def test_every_option_and_variable_exists() -> None:
    options = [option for option in serve_command().params if isinstance(option, click.Option)]
    first, *named = PACKAGE["packageArguments"]
    assert first == {"type": "positional", "value": serve_command().name}
    assert {item["name"] for item in named} <= {name for option in options for name in option.opts}
    variables = {option.envvar: option for option in options}
    for item in PACKAGE["environmentVariables"]:
        option = variables[item["name"]]
        assert (item.get("format") == "boolean") == option.is_flag
        if "default" in item:
            unset = option.get_default(click.Context(serve_command()))
            assert str(unset).lower() == item["default"]
