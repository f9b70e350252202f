"""`holdfast analyze fleet`: runs one analysis over many repositories.

The command is written by hand and not generated from an operation, because it opens every repository in a
list. A client that was given access to one repository must not be able to request that.
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
from holdfast.analysis.fleet.fleet_run import run_tasks
from holdfast.analysis.fleet.merged_report import ANALYSED, FAILED, NOT_RUN, require_parquet, without_timings
from holdfast.analysis.fleet.repository_state import repository_state
from holdfast.analysis.fleet.roster import parse_roster
from holdfast.analysis.room import Analysis
from holdfast.faces.cli.arguments import name_options, wire_arguments
from holdfast.faces.cli.catalogue import CATALOGUE, CatalogueCommand
from holdfast.faces.cli.command import OperationCommand, refuse_when_read_only
from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.host import Installation
from holdfast.faces.cli.options import json_option
from holdfast.faces.cli.output import INTERRUPTED, SUCCESS, write, write_text
from holdfast.faces.json_text import json_text
from holdfast.kernel.clock import utc_now
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments, Unavailable, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.pool import DASK_PREFIX, LOCAL_EXECUTOR, create_executor

_TOOLSET = "analyze"
_DEFAULT_RETRIES = 2
"""A judgement: a process that ran out of memory often succeeds once others have finished."""
_EXCLUDED_ANALYSES = ("trend", "record-trend")
"""Analyses that read or record trend points, so that they depend on more than the state of a repository."""
_HELP = f"""Run one analysis over many repositories and merge the results.

LIST is a text file with one repository on each line, as `path` or `path name`; `#` begins a comment.
Arguments of the analysis follow after `--`, such as `-- --max-cyclomatic 15`.

The output folder gets fleet.json, fleet.parquet and fleet.html. The next run only analyses repositories that
have changed. {DASK_PREFIX}HOST:PORT runs it on a Dask cluster whose workers see the same files.
"""


def fleet_command() -> click.Command:
    """Return the command that analyses many repositories."""
    analyses = "|".join(analysis_commands())
    return handwritten_command(
        "fleet",
        _HELP,
        [
            click.Argument(["list_file"], metavar="LIST"),
            click.Argument(["typed"], metavar="[-- ARGUMENTS]", nargs=-1, type=click.UNPROCESSED),
            click.Option(["--analysis"], required=True, metavar=analyses, help="Which analysis to run."),
            click.Option(
                ["--executor"],
                default=LOCAL_EXECUTOR,
                metavar=f"{LOCAL_EXECUTOR}|{DASK_PREFIX}HOST:PORT",
                help=f"Where it runs.  [default: {LOCAL_EXECUTOR}]",
            ),
            click.Option(
                ["--workers"],
                type=click.IntRange(min=1),
                help="How many repositories to analyse at once.  [default: one per core or cluster thread]",
            ),
            click.Option(
                ["--retries"],
                type=click.IntRange(min=0),
                default=_DEFAULT_RETRIES,
                help=f"How often to retry after a process died; not for Dask.  [default: {_DEFAULT_RETRIES}]",
            ),
            click.Option(
                ["--output"], default="fleet", metavar="FOLDER", help="Where results go.  [default: fleet]"
            ),
            click.Option(["--again"], is_flag=True, help="Also analyse repositories that have not changed."),
            json_option(),
        ],
        _run,
    )


def analysis_commands() -> dict[str, CatalogueCommand]:
    """Return the analyses that can run over many repositories, by the name of their command."""
    [commands] = [toolset.commands for toolset in CATALOGUE if toolset.name == _TOOLSET]
    return {item.command: item for item in commands if item.command not in _EXCLUDED_ANALYSES}


def _run(
    list_file: str, typed: tuple[str, ...], analysis: str, executor: str, output: str, **options: Any
) -> int:
    refuse_when_read_only()
    require_parquet()
    text = read_limited(list_file, LIMITS.configuration_file_bytes).decode("utf-8", "replace")
    members = parse_roster(text, os.path.dirname(os.path.abspath(list_file)))
    request = parse_shared_request(analysis, typed)
    pool = create_executor(executor, options["workers"])
    fleet = Fleet(members, request, output, ignores_cache=options["again"])
    interruption: BaseException | None = None
    try:
        tasks = list(fleet.tasks())
        outcomes = run_tasks(tasks, analyse_repository, pool, options["retries"])
        for done, (task, outcome) in enumerate(outcomes, 1):
            status = fleet.record(task.name, outcome)
            click.echo(visible(f"{done}/{len(tasks)} {task.name}: {status}"), err=True)
    except (KeyboardInterrupt, Unavailable) as failure:
        interruption = failure  # The results so far are stored and reported.
    finally:
        pool.shutdown()
    totals = fleet.finish()
    if isinstance(interruption, Unavailable):
        raise interruption
    if options["json"]:
        data = {"totals": totals, "unchanged": fleet.unchanged, "output": output}
        write(json_text(data, for_a_person=False))
    else:
        counts = ", ".join(f"{totals[status]} {status}" for status in (ANALYSED, FAILED, NOT_RUN))
        write_text(f"{totals['repositories']} repositories: {counts}; {fleet.unchanged} unchanged.")
    if interruption is not None:
        return INTERRUPTED
    return 1 if totals[FAILED] else SUCCESS


def parse_shared_request(analysis: str, typed: Sequence[str]) -> dict[str, Any]:
    """Return what the requests for all repositories share; validate it before any repository is opened."""
    analyses = analysis_commands()
    if analysis not in analyses:
        raise Invalid(f'There is no analysis "{analysis}".', hint=did_you_mean(analysis, analyses))
    listed = analyses[analysis]
    host = Installation().host_of(listed)
    command = OperationCommand(listed.command, host.registry.operation(listed.operation), host)
    operation = command.operation
    context = command.make_context(f"holdfast {_TOOLSET} {analysis}", list(typed))
    arguments = wire_arguments(command.arguments, context.params)
    if any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("root", "json")):
        raise InvalidArguments(
            "--root and --json cannot be passed to the analysis.", hint="Leave them out after `--`."
        )
    if operation.fill_in is not None:
        # Analyses need the room, which is not open here, only to convert `project_path`: leave that out.
        path = {name: arguments.pop(name) for name in ("project_path",) if name in arguments}
        arguments = operation.fill_in(None, arguments) | path
    try:
        validate_arguments(operation.input, arguments)
    except InvalidArguments as error:
        error.message = name_options(error.message, command.arguments)
        raise
    return {
        "module": listed.module,
        "operation": listed.operation,
        "arguments": arguments,
        "today": utc_now().date().isoformat(),
        "version": __version__,
    }


class _EndOfDay:
    """A clock that always returns the last second of a day, and records whether it was read.

    So a result depends on no time but the day, and only if the analysis reads the clock.
    """

    def __init__(self, day: str) -> None:
        self._time = datetime.combine(datetime.fromisoformat(day).date(), time(23, 59, 59), UTC)
        self.was_read = False

    def __call__(self) -> datetime:
        self.was_read = True
        return self._time


def analyse_repository(request: str) -> str:
    """Analyse one repository in this process; return the result with its key, or the error, as JSON.

    If the key is the request's `cached_key`, the cached result is still valid, and only the key is returned.
    """
    try:
        return json.dumps(run_guarded(_analyse, json.loads(request)), ensure_ascii=False)
    except HoldfastError as error:
        return json.dumps({"error": {"message": error.message, "hint": error.hint}}, ensure_ascii=False)


def _analyse(request: Mapping[str, Any]) -> dict[str, Any]:
    if request["version"] != __version__:
        raise Unavailable(
            f"The worker has Holdfast {__version__}, but this program is {request['version']}.",
            hint="Install the same version on all workers.",
        )
    toolset_registry = Registry((toolsets.toolset_of_module(request["module"]),))
    registry = toolset_registry.select(Selection(toolsets=frozenset((_TOOLSET,)), includes_commands=True))
    operation = registry.operation(request["operation"])
    repository, clock = Repository.at(request["root"]), _EndOfDay(request["today"])
    state = repository_state(repository)
    inputs = [request[name] for name in ("version", "operation", "arguments")]
    key = sha256(json.dumps([*inputs, state.digest], sort_keys=True).encode()).hexdigest()
    if key == request["cached_key"]:
        return {"key": key}
    room = Analysis(repository, clock, workers=1)  # The repositories are already analysed in parallel.
    with closing(room), closing(Dispatcher(registry, lambda _: room)) as dispatcher:
        result = dispatcher.run(operation, request["arguments"], dispatcher.new_call(operation))
    day = request["today"] if clock.was_read else None
    return {"key": key, "commit": state.commit, "day": day, "result": without_timings(result.wire())}
