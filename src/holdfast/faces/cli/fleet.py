"""`holdfast analyze fleet`: one analysis over many repositories.

Written by hand and no operation: it opens repositories that a list names, wherever they are, which no program
that is given one of them may ask for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, time
from hashlib import sha256
from typing import Any

import click
from click.core import ParameterSource

from holdfast import __version__, toolsets
from holdfast.analysis.fleet.fleet import Fleet
from holdfast.analysis.fleet.fleet_run import outcomes
from holdfast.analysis.fleet.merged_report import ANALYSED, FAILED, NOT_RUN, require_parquet, without_timings
from holdfast.analysis.fleet.repository_state import repository_state
from holdfast.analysis.fleet.roster import roster
from holdfast.analysis.room import Analysis
from holdfast.faces.cli.arguments import wire_arguments, with_options
from holdfast.faces.cli.catalogue import CATALOGUE, CatalogueCommand
from holdfast.faces.cli.command import Installation, OperationCommand, json_option, refuse_when_read_only
from holdfast.faces.cli.groups import page_command
from holdfast.faces.cli.output import INTERRUPTED, SUCCESS, write, write_words
from holdfast.kernel.clock import utc_now
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import guarded
from holdfast.kernel.dispatch.validation import validated
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, Unavailable, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.untrusted import json_text, visible
from holdfast.storage.files.atomic import read_limited
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.executors import DASK, PROCESSES, executors

_TOOLSET = "analyze"
_RETRIES = 2
_LEFT_OUT = ("trend",)
"""What depends on more than the state of a repository: on what was kept before."""
_PAGE = f"""Run one analysis over many repositories, and merge what it finds.

LIST is a text file with one repository on each line, as `path` or `path name`; `#` begins a comment. What is
meant for the analysis follows after `--`, such as `-- --max-cyclomatic 15`.

The folder of the output gets fleet.json, fleet.parquet and fleet.html. Run again, only repositories that
changed are analysed. {DASK}HOST:PORT runs it on a Dask cluster whose workers see the same files.
"""


def fleet_command() -> click.Command:
    """Return the command."""
    analyses = "|".join(_analyses())
    return page_command(
        "fleet",
        _PAGE,
        [
            click.Argument(["listed"], metavar="LIST"),
            click.Argument(["given"], metavar="[-- ARGUMENTS]", nargs=-1, type=click.UNPROCESSED),
            click.Option(["--analysis"], required=True, metavar=analyses, help="What to run."),
            click.Option(
                ["--executor"],
                default=PROCESSES,
                metavar=f"{PROCESSES}|{DASK}HOST:PORT",
                help=f"Where it runs.  [default: {PROCESSES}]",
            ),
            click.Option(
                ["--workers"],
                type=click.IntRange(min=1),
                help="How many repositories at once.  [default: one a core, or a thread of the cluster]",
            ),
            click.Option(
                ["--retries"],
                type=click.IntRange(min=0),
                default=_RETRIES,
                help=f"How often to try again where a process died; Dask has its own.  [default: {_RETRIES}]",
            ),
            click.Option(
                ["--output"], default="fleet", metavar="FOLDER", help="Where results go.  [default: fleet]"
            ),
            click.Option(["--again"], is_flag=True, help="Analyse those again that did not change, too."),
            json_option(),
        ],
        _run,
    )


def _analyses() -> dict[str, CatalogueCommand]:
    [commands] = [toolset.commands for toolset in CATALOGUE if toolset.name == _TOOLSET]
    return {item.command: item for item in commands if item.command not in _LEFT_OUT}


def _run(
    listed: str, given: tuple[str, ...], analysis: str, executor: str, output: str, **options: Any
) -> int:
    refuse_when_read_only()
    require_parquet()
    text = read_limited(listed, LIMITS.configuration_file_bytes).decode("utf-8", "replace")
    members = roster(text, os.path.dirname(os.path.abspath(listed)))
    question = _question(analysis, given)
    where = executors(executor, options["workers"])
    fleet = Fleet(members, question, output, options["again"])
    ended: BaseException | None = None
    try:
        tasks = list(fleet.tasks())
        for done, (task, outcome) in enumerate(outcomes(tasks, analysed, where, options["retries"]), 1):
            said = fleet.record(task.name, outcome)
            click.echo(visible(f"{done}/{len(tasks)} {task.name}: {said}"), err=True)
    except (KeyboardInterrupt, Unavailable) as failure:
        ended = failure  # what is done is kept and told
    finally:
        where.close()
    found = fleet.finish()
    if isinstance(ended, Unavailable):
        raise ended
    if options["json"]:
        data = {"totals": found, "unchanged": fleet.unchanged, "output": output}
        write(json_text(data, for_a_person=False))
    else:
        counted = ", ".join(f"{found[status]} {status}" for status in (ANALYSED, FAILED, NOT_RUN))
        write_words(f"{found['repositories']} repositories: {counted}; {fleet.unchanged} had not changed.")
    return INTERRUPTED if ended else 1 if found[FAILED] else SUCCESS


def _question(analysis: str, given: Sequence[str]) -> dict[str, Any]:
    """Return what every repository is asked, checked before any is opened."""
    known = _analyses()
    if analysis not in known:
        raise Invalid(f'There is no analysis "{analysis}".', hint=did_you_mean(analysis, known))
    item = known[analysis]
    host = Installation().host_of(item)
    command = OperationCommand(item.command, host.registry.operation(item.operation), host)
    operation = command.operation
    context = command.make_context(f"holdfast {_TOOLSET} {analysis}", list(given))
    arguments = wire_arguments(command.arguments, context.params)
    if any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("root", "json")):
        raise InvalidArguments(
            "--root and --json are not for the analysis.", hint="Leave them out after `--`."
        )
    project = {name: arguments.pop(name) for name in ("project_path",) if name in arguments}
    if operation.fill_in is not None:  # without a path there is nothing of a room that it could need
        arguments = operation.fill_in(None, arguments)
    arguments |= project
    try:
        validated(operation.input, arguments)
    except InvalidArguments as error:
        error.message = with_options(error.message, command.arguments)
        raise
    return {
        "module": item.module,
        "operation": item.operation,
        "arguments": arguments,
        "today": utc_now().date().isoformat(),
        "version": __version__,
    }


class _EndOfDay:
    """The last second of a day: what is computed on one day is the same. It knows whether it was asked."""

    def __init__(self, day: str) -> None:
        self._moment = datetime.combine(datetime.fromisoformat(day).date(), time(23, 59, 59), UTC)
        self.was_asked = False

    def __call__(self) -> datetime:
        self.was_asked = True
        return self._moment


def analysed(asked: str) -> str:
    """Analyse one repository, in whatever process this is; return the answer or the failure as JSON."""
    try:
        return json.dumps(guarded(_analysed, json.loads(asked)), ensure_ascii=False)
    except HoldfastError as error:
        return json.dumps({"error": {"message": error.message, "hint": error.hint}}, ensure_ascii=False)


def _analysed(asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked["version"] != __version__:
        raise Unavailable(
            f"The worker has Holdfast {__version__}, this one is {asked['version']}.",
            hint="Install the same version on all workers.",
        )
    everything = Registry((toolsets.toolset_declared_in(asked["module"]),))
    registry = everything.select(Selection(toolsets=frozenset((_TOOLSET,)), commands=True))
    operation = registry.operation(asked["operation"])
    repository, clock = Repository.at(asked["root"]), _EndOfDay(asked["today"])
    state = repository_state(repository)
    told = [asked[name] for name in ("version", "operation", "arguments")]
    key = sha256(json.dumps([*told, state.digest], sort_keys=True).encode()).hexdigest()
    if key == asked["known"]:
        return {"key": key}
    room = Analysis(repository, clock, workers=1)  # there is a process for each repository already
    with closing(room), closing(Dispatcher(registry, lambda _: room)) as dispatcher:
        result = dispatcher.run(operation, asked["arguments"], dispatcher.new_call(operation))
    day = asked["today"] if clock.was_asked else None
    return {"key": key, "commit": state.commit, "day": day, "result": without_timings(result.wire())}
