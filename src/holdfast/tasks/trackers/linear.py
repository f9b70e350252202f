"""The tracker `linear`: the issues of a team in Linear, through its GraphQL API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from holdfast.kernel.errors import Conflict, Invalid, NotFound
from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignTask, status_of
from holdfast.tasks.trackers.json_fields import item_id, object_field, object_list, required_list, text_field
from holdfast.tasks.trackers.service import MAX_MESSAGE_CHARACTERS, ServiceProfile
from holdfast.tasks.trackers.tracker import (
    Account,
    ServiceTracker,
    SyncCursor,
    TrackerKind,
    token_authorization,
)

_ISSUES_PER_PAGE = 100
"""A judgement: twice Linear's default (https://linear.app/developers/pagination), for half the requests."""
_ISSUE_FIELDS = """id identifier title description priority url updatedAt
  state { id name type } labels { nodes { name } }"""
_TEAM_QUERY = """query($key: String!) { viewer { name } teams(filter: { key: { eq: $key } }) {
  nodes { id name states { nodes { id name type } } } } }"""
_CHANGED_QUERY = f"""query($key: String!, $since: DateTimeOrDuration, $after: String, $first: Int) {{
  issues(first: $first, after: $after, orderBy: updatedAt, includeArchived: true,
         filter: {{ team: {{ key: {{ eq: $key }} }}, updatedAt: {{ gte: $since }} }}) {{
    nodes {{ {_ISSUE_FIELDS} }} pageInfo {{ hasNextPage endCursor }} }} }}"""
_CREATE_MUTATION = f"""mutation($input: IssueCreateInput!) {{
  issueCreate(input: $input) {{ success issue {{ {_ISSUE_FIELDS} }} }} }}"""
_UPDATE_MUTATION = f"""mutation($id: String!, $input: IssueUpdateInput!) {{
  issueUpdate(id: $id, input: $input) {{ success issue {{ {_ISSUE_FIELDS} }} }} }}"""
# In Linear, 1 is urgent, 2 high, 3 medium, 4 low, and 0 no priority.
_PRIORITY_BY_NUMBER: dict[int, Priority] = {1: "high", 2: "high", 3: "medium", 4: "low"}
_NUMBER_BY_PRIORITY = {"high": 2, "medium": 3, "low": 4}
_EPOCH = "1970-01-01T00:00:00.000Z"
_PROFILE = ServiceProfile("Linear", "Set LINEAR_API_KEY.")


class Linear(ServiceTracker):
    """One team in Linear. Labels belong to the team, so they are read but not written."""

    synced_fields: ClassVar[frozenset[str]] = frozenset({"title", "description", "status", "priority"})

    def whoami(self) -> Account:
        account = text_field(object_field(self._team_answer, "viewer"), "name")
        return Account(account, text_field(self._team, "name"))

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        variables = {
            "key": self.settings["team"],
            "since": cursor.since or _EPOCH,
            "first": _ISSUES_PER_PAGE,
            "after": None,
        }
        for _ in self.service.page_numbers():
            page = object_field(self._query(_CHANGED_QUERY, variables), "issues")
            yield from cursor.advance_over(map(task_of, required_list(page, "nodes")))
            info = object_field(page, "pageInfo")
            variables["after"] = text_field(info, "endCursor")
            if not info.get("hasNextPage") or not variables["after"]:
                return

    def create(self, task: ForeignTask) -> ForeignTask:
        sent = {"teamId": text_field(self._team, "id"), **self._input(task, self.synced_fields)}
        answer = self._query(_CREATE_MUTATION, {"input": sent})
        return task_of(object_field(object_field(answer, "issueCreate"), "issue"))

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        answer = self._query(_UPDATE_MUTATION, {"id": foreign_id, "input": self._input(whole, values)})
        return task_of(object_field(object_field(answer, "issueUpdate"), "issue"))

    def _input(self, task: ForeignTask, names: Any) -> dict[str, Any]:
        """Return the named fields of a task as the input of a mutation."""
        priority = _NUMBER_BY_PRIORITY[task.priority]
        fields: dict[str, Any] = {"title": task.title, "description": task.description, "priority": priority}
        sent = {name: value for name, value in fields.items() if name in names}
        if "status" in names:
            sent["stateId"] = self._state_id(task.status)
        return sent

    def _state_id(self, status: Status) -> str:
        """Return the id of the workflow state that corresponds to ours, by its name or else by its type."""
        states = object_list(object_field(self._team, "states"), "nodes")
        for key in ("name", "type"):
            for state in states:
                if status_of(text_field(state, key)) == status:
                    return text_field(state, "id")
        names = ", ".join(text_field(state, "name") for state in states)
        raise Conflict(f"Linear's workflow has no state for '{status}'.", hint=f"It has: {names}.")

    @cached_property
    def _team_answer(self) -> dict[str, Any]:
        return self._query(_TEAM_QUERY, {"key": self.settings["team"]})

    @property
    def _team(self) -> dict[str, Any]:
        teams = object_list(object_field(self._team_answer, "teams"), "nodes")
        if not teams:
            raise NotFound(f"Linear has no team {self.settings['team']!a}.", hint="Name the team by its key.")
        return teams[0]

    def _query(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of a response; raise on errors, which GraphQL reports with a success status."""
        answer = self.service.send("POST", "/graphql", {"query": query, "variables": variables})
        if errors := object_list(answer, "errors"):
            message = shorten(one_line(text_field(errors[0], "message")), MAX_MESSAGE_CHARACTERS)
            raise Invalid(f"Linear refuses this: {message}.", hint="Check the config.")
        return object_field(answer, "data")


def task_of(issue: Mapping[str, Any]) -> ForeignTask:
    """Return an issue of Linear as a task."""
    state = object_field(issue, "state")
    number = issue.get("priority")
    return ForeignTask(
        foreign_id=item_id(issue, "identifier", "id"),
        title=text_field(issue, "title"),
        description=text_field(issue, "description"),
        status=status_of(text_field(state, "name"), text_field(state, "type")) or "backlog",
        priority=_PRIORITY_BY_NUMBER.get(number, "medium") if isinstance(number, int) else "medium",
        labels=tuple(
            text_field(label, "name") for label in object_list(object_field(issue, "labels"), "nodes")
        ),
        url=text_field(issue, "url") or None,
        updated_at=text_field(issue, "updatedAt") or None,
    )


KIND = TrackerKind(
    "linear", _PROFILE, Linear, token_authorization(_PROFILE, "LINEAR_API_KEY", scheme=""),
    required_settings=("team",), optional_settings=("base_url",), identifying_settings=("team",), default_address="https://api.linear.app",
)  # fmt: skip
