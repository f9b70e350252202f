"""Linear, through its GraphQL interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from holdfast.kernel.errors import Conflict, Invalid, NotFound
from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignTask, status_of
from holdfast.tasks.trackers.service import ServiceProfile, ServiceTracker
from holdfast.tasks.trackers.tracker import (
    Account,
    Mark,
    TrackerKind,
    by_token,
    item_id,
    items,
    object_field,
    object_list,
    text_field,
)

_PAGE = 100
_ISSUE = """id identifier title description priority url updatedAt
  state { id name type } labels { nodes { name } }"""
_TEAM = """query($key: String!) { viewer { name } teams(filter: { key: { eq: $key } }) {
  nodes { id name states { nodes { id name type } } } } }"""
_CHANGED = f"""query($key: String!, $since: DateTimeOrDuration, $after: String, $first: Int) {{
  issues(first: $first, after: $after, orderBy: updatedAt, includeArchived: true,
         filter: {{ team: {{ key: {{ eq: $key }} }}, updatedAt: {{ gte: $since }} }}) {{
    nodes {{ {_ISSUE} }} pageInfo {{ hasNextPage endCursor }} }} }}"""
_CREATE = (
    f"mutation($input: IssueCreateInput!) {{ issueCreate(input: $input) {{ success issue {{ {_ISSUE} }} }} }}"
)
_UPDATE = f"""mutation($id: String!, $input: IssueUpdateInput!) {{
  issueUpdate(id: $id, input: $input) {{ success issue {{ {_ISSUE} }} }} }}"""
_TYPES: dict[str, Status] = {
    "triage": "backlog", "backlog": "backlog", "unstarted": "backlog", "started": "in-progress",
    "completed": "done", "canceled": "dropped",
}  # fmt: skip
_FROM_NUMBER: dict[int, Priority] = {1: "high", 2: "high", 3: "medium", 4: "low"}
_TO_NUMBER = {"high": 2, "medium": 3, "low": 4}
_BEGINNING = "1970-01-01T00:00:00.000Z"
_PROFILE = ServiceProfile("Linear", "Set LINEAR_API_KEY.")


class Linear(ServiceTracker):
    """One team in Linear. Labels belong to the team, so they are read but not written."""

    carries: ClassVar[frozenset[str]] = frozenset({"title", "description", "status", "priority"})

    def whoami(self) -> Account:
        """Return our account, after a request that shows that it works."""
        return Account(
            text_field(object_field(self._team_answer, "viewer"), "name"), text_field(self._team, "name")
        )

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield the issues that changed since the mark."""
        given = {
            "key": self.settings["team"],
            "since": mark.since or _BEGINNING,
            "first": _PAGE,
            "after": None,
        }
        for _ in self.service.turns():
            page = object_field(self._ask(_CHANGED, given), "issues")
            yield from mark.passing(map(_task, items(page, "nodes")))
            info = object_field(page, "pageInfo")
            given["after"] = text_field(info, "endCursor")
            if not info.get("hasNextPage") or not given["after"]:
                return

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an issue."""
        sent = {"teamId": text_field(self._team, "id"), **self._input(task, self.carries)}
        return _task(object_field(object_field(self._ask(_CREATE, {"input": sent}), "issueCreate"), "issue"))

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change an issue."""
        answer = self._ask(_UPDATE, {"id": origin, "input": self._input(whole, values)})
        return _task(object_field(object_field(answer, "issueUpdate"), "issue"))

    def _input(self, task: ForeignTask, names: Any) -> dict[str, Any]:
        priority = _TO_NUMBER[task.priority]
        given: dict[str, Any] = {"title": task.title, "description": task.description, "priority": priority}
        sent = {name: value for name, value in given.items() if name in names}
        return sent | ({"stateId": self._state(task.status)} if "status" in names else {})

    def _state(self, status: Status) -> str:
        """Return the workflow state that corresponds to ours, by its name or else by its type."""
        states = object_list(object_field(self._team, "states"), "nodes")
        named = {status_of(text_field(state, "name")): text_field(state, "id") for state in reversed(states)}
        typed = {_TYPES.get(text_field(state, "type")): text_field(state, "id") for state in reversed(states)}
        if found := named.get(status) or typed.get(status):
            return found
        names = ", ".join(text_field(state, "name") for state in states)
        raise Conflict(f"Linear's workflow has no state for '{status}'.", hint=f"It has: {names}.")

    @cached_property
    def _team_answer(self) -> dict[str, Any]:
        return self._ask(_TEAM, {"key": self.settings["team"]})

    @property
    def _team(self) -> dict[str, Any]:
        found = object_list(object_field(self._team_answer, "teams"), "nodes")
        if not found:
            raise NotFound(f"Linear has no team {self.settings['team']!a}.", hint="Name the team by its key.")
        return found[0]

    def _ask(self, query: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of a response; GraphQL reports errors in a response with a success status."""
        answer = self.service.send("POST", "/graphql", {"query": query, "variables": given})
        if errors := object_list(answer, "errors"):
            raise Invalid(
                f"Linear refuses this: {text_field(errors[0], 'message')[:200]}.", hint="Check the config."
            )
        return object_field(answer, "data")


def _task(issue: Mapping[str, Any]) -> ForeignTask:
    state = object_field(issue, "state")
    number = issue.get("priority")
    status = status_of(text_field(state, "name")) or _TYPES.get(text_field(state, "type"), "backlog")
    return ForeignTask(
        origin=item_id(issue, "identifier", "id"),
        title=text_field(issue, "title"),
        description=text_field(issue, "description"),
        status=status,
        priority=_FROM_NUMBER.get(number, "medium") if isinstance(number, int) else "medium",
        labels=tuple(
            text_field(label, "name") for label in object_list(object_field(issue, "labels"), "nodes")
        ),
        url=text_field(issue, "url") or None,
        updated_at=text_field(issue, "updatedAt") or None,
    )


KIND = TrackerKind(
    "linear", _PROFILE, Linear, by_token(_PROFILE, "LINEAR_API_KEY", scheme=""),
    needed=("team",), optional=("base_url",), identifying=("team",), usual_address="https://api.linear.app",
)  # fmt: skip
