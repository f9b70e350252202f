"""Actions of `taskpilot_github` that only GitHub has: creating issues, opening and following pull requests.

Imported only when used, because it loads the HTTP client.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.kernel.errors import Denied, InvalidArguments, NotFound
from holdfast.storage.git.command import Git
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.network.address import parse_address
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, Task, TaskLink
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts, github
from holdfast.tasks.trackers.adapter import our_task
from holdfast.tasks.trackers.connection import report, tracker_out
from holdfast.tasks.trackers.counterparts import StoredTracker
from holdfast.tasks.trackers.github import GitHub, PullRequest
from holdfast.tasks.trackers.report import StepKind, SyncOptions, SyncOutcome, TrackerReport
from holdfast.tasks.trackers.synchronisation import Synchronisation
from holdfast.tasks.trackers.task_updates import apply_values, move_to_status

_TASK_ID = re.compile(r"(?<![\w-])TP-0*(\d{1,9})(?!\w)", re.IGNORECASE)
_CLOSED_ISSUE = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+#(\d{1,9})\b", re.IGNORECASE)
"""The keywords by which a pull request closes an issue when it is merged, as GitHub documents them."""
_BRANCH_NAME = re.compile(r"[\w][\w./+-]*(?::[\w./+-]+)?")
"""A branch of the repository, or `owner:branch` of a fork; no text that git or the API reads otherwise."""
_PROGRESS_PERCENT_WHEN_OPEN = 25
"""The minimum progress of a task whose pull request is open. A judgement: begun, but not reviewed."""


def find_project(room: Tasks) -> str:
    """Return the GitHub project of this repository's git remotes, preferably of `origin`; raise if none."""
    projects = _remote_projects(room)
    if not projects:
        raise NotFound("No git remote of this repository is on GitHub.", hint="Name it in `repository`.")
    return projects[0]


def check_project(room: Tasks, project: str) -> None:
    """Raise unless a git remote or the user's configuration names the project, so that tasks do not leak."""
    configuration = UsersConfiguration(room.repository)
    origin = parse_address(github.KIND.address({}, configuration)).origin
    of_remotes = {name.lower() for name in _remote_projects(room)}
    if project.lower() not in of_remotes and not configuration.allowed_hosts().names_project(origin, project):
        raise Denied(
            f"'{project}' is not a git remote of this repository.",
            hint=f"A person allows it: `git config --global --add holdfast.host {origin.name}/{project}`.",
        )


def _remote_projects(room: Tasks) -> list[str]:
    """Return the GitHub projects of the git remotes, that of `origin` first."""
    if room.repository.git_dir is None:
        return []
    with Git(room.repository) as git:
        addresses = Remotes(git).addresses()
    ordered = sorted(addresses, key=lambda name: (name != "origin", name))
    return [project for name in ordered if (project := github.project_of_remote(addresses[name]))]


def status(room: Tasks) -> TrackerReport:
    """Report the repositories on GitHub that are or were connected, a connected one first."""
    stored = sorted(counterparts.list_trackers(room, "github"), key=lambda item: not item.connected)
    is_connected = bool(stored) and stored[0].connected
    steps = [] if is_connected else ["Connect a repository with the action 'connect'."]
    return report(
        room,
        "github",
        "status",
        stored[0] if stored else None,
        dry_run=True,
        trackers=[tracker_out(item) for item in stored],
        next_steps=steps,
    )


@dataclass(frozen=True)
class GitHubActions:
    """Actions on one connected repository."""

    room: Tasks
    who: CallerIdentity
    stored: StoredTracker
    dry_run: bool

    def create_issue(self, task_id: str | None, title: str | None, description: str | None) -> SyncOutcome:
        """Create an issue for a task, unless it has one; without `task_id`, create the task too."""
        outcome = SyncOutcome()
        if task_id is not None:
            task = self.room.get(task_id)
        elif title is None:
            raise InvalidArguments("There is neither a task nor a title.", hint="Give `task_id`, or `title`.")
        elif self.dry_run:
            outcome.record("created_there", None, title)
            return outcome
        else:
            task = self.room.create([Draft(title=title, description=description or "")], self.who)[0][0]
        tracker = self._tracker()
        pairs = counterparts.read_counterparts(self.room, self.stored.name)
        if any(pair.task == task.uid for pair in pairs.values()):
            outcome.unchanged = 1
            return outcome
        created = None
        if not self.dry_run:
            run = Synchronisation(self.room, self.who, tracker, self.stored, SyncOptions(dry_run=False))
            created = run.create_there(task, our_task(self.room, task.uid).item)
        outcome.record("created_there", task.id, task.title, created)
        return outcome

    def create_pull_request(
        self, task_id: str | None, title: str | None, description: str | None, branch: str | None
    ) -> SyncOutcome:
        """Open a pull request for a branch; its text names the task, if one is given."""
        task = None if task_id is None else self.room.get(task_id)
        title = title or (task.title if task is not None else None)
        if title is None or branch is None or not _BRANCH_NAME.fullmatch(branch):
            raise InvalidArguments(
                "A pull request needs a branch, and a title or a task.",
                hint="Give `branch`, and `title` or `task_id`.",
            )
        body = description or (task.description if task is not None else "")
        if task is not None:
            body = "\n\n".join(filter(None, [body.strip(), f"Task: {task.id}"]))
        outcome, name = SyncOutcome(), task.id if task is not None else None
        if self.dry_run:
            outcome.record("created_there", name, title, detail=branch)
            return outcome
        created = self._tracker().create_pull_request(title, body, branch)
        if task is not None:
            self._link(task, created)
        outcome.record("created_there", name, title, created)
        return outcome

    def follow_pull_request(self, number: int | None) -> SyncOutcome:
        """Move the tasks that a pull request names: to done if it is merged, to in-progress if it is open."""
        if number is None:
            raise InvalidArguments("The pull request is missing.", hint="Give its number in `pull_request`.")
        request = self._tracker().pull_request(number)
        outcome = SyncOutcome()
        for task in self._tasks_of(request):
            refusal = None
            if not self.dry_run:
                self._link(task, request)
                refusal = self._apply_pull_request(task, request)
            done: StepKind = "changed_here" if refusal is None else "refused"
            outcome.record(done, task.id, task.title, request, ("status", "progress"), refusal)
        if not outcome.steps:
            raise NotFound(
                f"The pull request #{request.number} names no task of ours.",
                hint="Name a task in its title, text or branch, such as TP-12.",
            )
        return outcome

    def _apply_pull_request(self, task: Task, request: PullRequest) -> str | None:
        """Move a task to the state that a pull request implies; return the reason if that was refused."""
        reason = f"Pull request #{request.number} {'was merged' if request.is_merged else 'is open'}"
        if request.is_merged:
            if request.merge_commit:
                proof = Change(evidence=[{"kind": "commit", "ref": request.merge_commit}])
                self.room.update(task.uid, proof, self.who)
            return move_to_status(self.room, task.uid, "done", self.who, reason)
        if not request.is_open:
            return "The pull request was closed without being merged."
        refusal = None
        if task.status in ("backlog", "blocked"):
            refusal = move_to_status(self.room, task.uid, "in-progress", self.who, reason)
        if task.progress < _PROGRESS_PERCENT_WHEN_OPEN:
            values = {"progress": _PROGRESS_PERCENT_WHEN_OPEN}
            refused = apply_values(self.room, task.uid, values, self.who, reason)
            refusal = refusal or refused.get("progress")
        return refusal

    def _tasks_of(self, request: PullRequest) -> list[Task]:
        """Return the tasks that a pull request names, by their ids or by the issues it closes."""
        text = "\n".join([request.title, request.body, request.branch])
        names = [f"TP-{number}" for number in _TASK_ID.findall(text)]
        pairs = counterparts.read_counterparts(self.room, self.stored.name)
        names += [pairs[number].task for number in _CLOSED_ISSUE.findall(text) if number in pairs]
        tasks_by_uid: dict[str, Task] = {}
        for name in names:
            try:
                task = self.room.get(name)
            except (NotFound, InvalidArguments):
                continue
            tasks_by_uid[task.uid] = task
        return list(tasks_by_uid.values())

    def _link(self, task: Task, request: PullRequest) -> None:
        link = TaskLink(
            "url", f"{self.stored.settings['repository']}{request.foreign_id}", request.url, request.title
        )
        self.room.update(task.uid, Change(add={"links": [link]}), self.who)

    def _tracker(self) -> GitHub:
        settings = self.stored.settings
        service = github.KIND.service(settings, UsersConfiguration(self.room.repository))
        return GitHub(service, github.validate_project(str(settings["repository"])))
