"""Issues and pull requests, and what they mean for tasks. Loaded when GitHub is asked for, not before."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from holdfast.kernel.errors import Denied, HoldfastError, InvalidArguments, NotFound
from holdfast.storage.git.command import Git
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.network.address import parse_address
from holdfast.tasks.caller import acting
from holdfast.tasks.store.records import Change, Draft, Link, Task, Who
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers import github_api
from holdfast.tasks.trackers.adapter import as_foreign
from holdfast.tasks.trackers.applying import move
from holdfast.tasks.trackers.connection import (
    chosen,
    connected,
    disconnected,
    report,
    synchronised,
    tracker_out,
)
from holdfast.tasks.trackers.counterparts import Known
from holdfast.tasks.trackers.github_api import GitHub, PullRequest
from holdfast.tasks.trackers.github_models import GitHubCall
from holdfast.tasks.trackers.outcome import Outcome, Step
from holdfast.tasks.trackers.report import TrackerReport, steps_of
from holdfast.tasks.trackers.synchronisation import Synchronisation, Terms

_TASK = re.compile(r"(?<![\w-])TP-0*(\d{1,9})(?!\w)", re.IGNORECASE)
_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+#(\d{1,9})\b", re.IGNORECASE)
_BRANCH = re.compile(r"[\w][\w./+-]*(?::[\w./+-]+)?")
_OPEN_PROGRESS = 25


def handled(room: Tasks, arguments: GitHubCall) -> TrackerReport:
    """Do what an action asks for."""
    who = acting(room, arguments)
    action = "sync" if arguments.action == "sync_tasks" else arguments.action
    if action == "status":
        return _status(room)
    if action == "connect":
        project = arguments.repository or project_here(room)
        check_project(room, github_api.checked_project(project))
        return connected(room, "github", {"repository": project}, dry_run=arguments.dry_run, action="connect")
    name = None if arguments.repository is None else f"github:{arguments.repository}"
    known = chosen(room, "github", name)
    check_project(room, str(known.settings["repository"]))
    if action == "disconnect":
        return disconnected(room, known, dry_run=arguments.dry_run)
    if action == "sync":
        return synchronised(room, who, known, arguments)
    outcome = _ACTIONS[action](room, who, known, arguments)
    steps = ["Pass dry_run false to do this."] if arguments.dry_run else []
    return report(room, action, known, dry_run=arguments.dry_run, next_steps=steps, **steps_of(outcome))


def project_here(room: Tasks) -> str:
    """Return the project that the git remotes of this repository name; `origin` before the others."""
    found = _projects(room)
    if not found:
        raise NotFound("No git remote of this repository is on GitHub.", hint="Name it as OWNER/NAME.")
    return found[0]


def check_project(room: Tasks, project: str) -> None:
    """Refuse a project that is neither a git remote's nor allowed by its name: tasks stay out of strangers'
    hands."""
    configuration = UsersConfiguration(room.repository)
    origin = parse_address(github_api.address_of(configuration)).origin
    known = {name.lower() for name in _projects(room)}
    if project.lower() not in known and not configuration.allowed_hosts().name_project(origin, project):
        raise Denied(
            f"'{project}' is not a git remote of this repository.",
            hint=f"A person allows it: `git config --global --add holdfast.host {origin.name}/{project}`.",
        )


def _projects(room: Tasks) -> list[str]:
    if room.repository.git_dir is None:
        return []
    with Git(room.repository) as git:
        addresses = Remotes(git).addresses()
    ordered = sorted(addresses, key=lambda name: (name != "origin", name))
    return [project for name in ordered if (project := github_api.project_of_remote(addresses[name]))]


def _status(room: Tasks) -> TrackerReport:
    found = kept.trackers(room, "github")
    first = next((item for item in found if item.connected), found[0] if found else None)
    steps = (
        [] if first is not None and first.connected else ["Connect a repository with the action 'connect'."]
    )
    listed = [tracker_out(item) for item in found]
    return report(room, "status", first, dry_run=True, trackers=listed, next_steps=steps)


def _create_issue(room: Tasks, who: Who, known: Known, arguments: GitHubCall) -> Outcome:
    """Make an issue for a task; without one, make the task as well."""
    outcome = Outcome()
    if arguments.task_id is None:
        if arguments.title is None:
            raise InvalidArguments("There is neither a task nor a title.", hint="Give task_id, or title.")
        if arguments.dry_run:
            outcome.steps.append(Step("created_there", None, None, arguments.title))
            return outcome
        draft = Draft(title=arguments.title, description=arguments.description or "")
        task = room.create([draft], who)[0][0]
    else:
        task = room.get(arguments.task_id)
    tracker = _tracker(room, known)
    with room.reading() as connection:
        pairs = kept.counterparts(connection, task.workspace, known.name)
        whole = as_foreign(connection, task, "")
    paired = next((pair for pair in pairs.values() if pair.task == task.uid), None)
    if paired is not None:
        outcome.unchanged = 1
        return outcome
    step = Step("created_there", task.id, None, task.title)
    if not arguments.dry_run:
        made = Synchronisation(room, who, tracker, known, Terms(dry_run=False)).create_there(task, whole)
        step = replace(step, origin=made.origin, url=made.url)
    outcome.steps.append(step)
    return outcome


def _create_pull_request(room: Tasks, who: Who, known: Known, arguments: GitHubCall) -> Outcome:
    """Ask for a branch to be merged; the text names the task."""
    task = None if arguments.task_id is None else room.get(arguments.task_id)
    title = arguments.title or (task.title if task is not None else None)
    if title is None or arguments.branch is None or not _BRANCH.fullmatch(arguments.branch):
        raise InvalidArguments(
            "A pull request needs a branch, and a title or a task.", hint="Give branch, and title or task_id."
        )
    body = arguments.description or (task.description if task is not None else "")
    if task is not None:
        body = "\n\n".join(filter(None, [body.strip(), f"Task: {task.id}"]))
    outcome, name = Outcome(), task.id if task is not None else None
    if arguments.dry_run:
        outcome.steps.append(Step("created_there", name, None, title, detail=arguments.branch))
        return outcome
    made = _tracker(room, known).create_pull_request(title, body, arguments.branch)
    if task is not None:
        _link(room, who, known, task, made)
    outcome.steps.append(Step("created_there", name, f"#{made.number}", title, url=made.url))
    return outcome


def _update_from_pull_request(room: Tasks, who: Who, known: Known, arguments: GitHubCall) -> Outcome:
    """Bring tasks to where a pull request says they are: merged is done, open is begun."""
    if arguments.pull_request is None:
        raise InvalidArguments("There is no number of a pull request.", hint="Give pull_request.")
    found = _tracker(room, known).pull_request(arguments.pull_request)
    outcome = Outcome()
    for task in _tasks_of(room, known, found):
        if arguments.dry_run:
            outcome.steps.append(_step(task, found, "changed_here"))
        else:
            _link(room, who, known, task, found)
            outcome.steps.append(_followed(room, who, task, found))
    if not outcome.steps:
        raise NotFound(
            f"The pull request #{found.number} names no task of ours.",
            hint="Name it in its title, text or branch, such as TP-12.",
        )
    return outcome


def _followed(room: Tasks, who: Who, task: Task, found: PullRequest) -> Step:
    reason = f"Pull request #{found.number} {'was merged' if found.merged else 'is open'}"
    if found.merged:
        if found.commit:
            room.update(task.uid, Change(evidence=[{"kind": "commit", "ref": found.commit}]), who)
        why = move(room, task.uid, "done", who, reason)
        return _step(task, found, "changed_here" if why is None else "refused", why)
    if not found.open:
        return _step(task, found, "refused", "The pull request was closed without being merged.")
    if task.status in ("backlog", "blocked"):
        move(room, task.uid, "in-progress", who, reason)
    if task.progress < _OPEN_PROGRESS:
        room.update(task.uid, Change(set={"progress": _OPEN_PROGRESS}, reason=reason), who)
    return _step(task, found, "changed_here")


def _step(task: Task, found: PullRequest, done: str, why: str | None = None) -> Step:
    fields = ("status", "progress")
    return Step(done, task.id, f"#{found.number}", task.title, fields, why, found.url)  # type: ignore[arg-type]


def _tasks_of(room: Tasks, known: Known, found: PullRequest) -> list[Task]:
    """Return the tasks that a pull request names, by their ids or by the issues it closes."""
    text = "\n".join([found.title, found.body, found.branch])
    names = [f"TP-{number}" for number in _TASK.findall(text)]
    with room.reading() as connection:
        pairs = kept.counterparts(connection, room.workspace_in(connection).id, known.name)
    names += [pairs[number].task for number in _CLOSES.findall(text) if number in pairs]
    tasks_found: dict[str, Task] = {}
    for name in names:
        try:
            task = room.get(name)
        except HoldfastError:
            continue  # a number that means nothing here
        tasks_found[task.uid] = task
    return list(tasks_found.values())


def _link(room: Tasks, who: Who, known: Known, task: Task, found: PullRequest) -> None:
    project = known.settings["repository"]
    link = Link("url", f"{project}#{found.number}", found.url, found.title)
    room.update(task.uid, Change(add={"links": [link]}), who)


def _tracker(room: Tasks, known: Known) -> GitHub:
    return github_api.connected(str(known.settings["repository"]), UsersConfiguration(room.repository))


_ACTIONS: dict[str, Callable[[Tasks, Who, Known, GitHubCall], Outcome]] = {
    "create_issue": _create_issue,
    "create_pr": _create_pull_request,
    "update_from_pr": _update_from_pull_request,
}
