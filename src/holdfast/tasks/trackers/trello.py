"""The tracker `trello`: the cards of one board, through Trello's REST API.

The list that a card is in gives its status, by the name of the list or by the setting `lists`, such as
`{"lists": {"Shipped": "done"}}`. An archived card is a dropped task, and a dropped task's card is archived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.kernel.errors import Conflict, Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.store.states import Status
from holdfast.tasks.trackers.foreign import ForeignTask, status_of
from holdfast.tasks.trackers.json_fields import item_id, object_list, required_list, text_field
from holdfast.tasks.trackers.service import ServiceProfile
from holdfast.tasks.trackers.settings import text_table
from holdfast.tasks.trackers.tracker import Account, ServiceTracker, SyncCursor, TrackerKind

_REQUESTED_FIELDS = "name,desc,idList,closed,dateLastActivity,url,labels"
_CARDS_PER_PAGE = 1000
"""The maximum of one request (https://search.r-project.org/CRAN/refmans/trelloR/html/get_resource.html)."""
_PROFILE = ServiceProfile("Trello", "Set TRELLO_KEY and TRELLO_TOKEN.")


def _authorization(_settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return the header with key and token; in addresses they would end up in logs."""
    key, token = configuration.variable("TRELLO_KEY"), configuration.variable("TRELLO_TOKEN")
    if key is None or token is None:
        raise Unavailable("There is no key and token for Trello.", hint=_PROFILE.token_hint)
    return {"Authorization": f'OAuth oauth_consumer_key="{key}", oauth_token="{token}"'}


class Trello(ServiceTracker):
    """One board in Trello."""

    synced_fields: ClassVar[frozenset[str]] = frozenset({"title", "description", "status"})

    def whoami(self) -> Account:
        account = text_field(self.service.get("/1/members/me").json(), "fullName", "username")
        board = self.service.get(f"/1/boards/{self._board}", {"fields": "name,url"}).json()
        return Account(account, text_field(board, "name"), text_field(board, "url") or None)

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        """Return the cards that changed since the cursor, oldest first.

        Trello cannot list only those, so all cards are read. Its pages begin with the newest card, and the
        next page has the cards created before the last one of this page.
        """
        query = {"fields": _REQUESTED_FIELDS, "filter": "all", "limit": _CARDS_PER_PAGE, "before": None}
        tasks: list[ForeignTask] = []
        for _ in self.service.page_numbers():
            cards = required_list(self.service.get(f"/1/boards/{self._board}/cards", query).json())
            tasks += [self._task(card) for card in cards]
            if len(cards) < _CARDS_PER_PAGE:
                break
            query["before"] = text_field(cards[-1], "id")
        since = cursor.since
        tasks.sort(key=lambda task: task.updated_at or "")
        return cursor.advance_over(
            task for task in tasks if since is None or (task.updated_at or "") >= since
        )

    def create(self, task: ForeignTask) -> ForeignTask:
        return self._task(self.service.send("POST", "/1/cards", self._fields(task, self.synced_fields)))

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        address = f"/1/cards/{quote(foreign_id, safe='')}"
        return self._task(self.service.send("PUT", address, self._fields(whole, values)))

    def _fields(self, task: ForeignTask, names: Collection[str]) -> dict[str, Any]:
        fields = {"title": ("name", task.title), "description": ("desc", task.description)}
        sent: dict[str, Any] = dict(field for name, field in fields.items() if name in names)
        if "status" in names:
            sent["closed"] = task.status == "dropped"
            if not sent["closed"]:
                sent["idList"] = self._list_for(task.status)
        return sent

    def _list_for(self, status: str) -> str:
        """Return the id of the first list for a status; raise if there is none."""
        for list_id, list_status in self._status_by_list.items():
            if list_status == status:
                return list_id
        raise Conflict(
            f"The board has no list for '{status}'.",
            hint='Say which it is in the config: {"lists": {"Name of the list": "' + status + '"}}.',
        )

    @cached_property
    def _status_by_list(self) -> dict[str, Status]:
        """The status of the cards in each list, by the list's id.

        Lists whose names mean no status count as backlog. They come last, so that `_list_for` chooses one of
        them only if no list is named as the backlog.
        """
        configured = text_table(self.settings, "lists")
        lists = required_list(self.service.get(f"/1/boards/{self._board}/lists", {"filter": "open"}).json())
        names = {text_field(item, "id"): text_field(item, "name") for item in lists}
        statuses = {list_id: status_of(configured.get(name, name)) for list_id, name in names.items()}
        named_lists_first = sorted(statuses, key=lambda list_id: statuses[list_id] is None)
        return {list_id: statuses[list_id] or "backlog" for list_id in named_lists_first}

    def _task(self, card: Mapping[str, Any]) -> ForeignTask:
        status = self._status_by_list.get(text_field(card, "idList"), "backlog")
        return ForeignTask(
            foreign_id=item_id(card, "id"),
            title=text_field(card, "name"),
            description=text_field(card, "desc"),
            status="dropped" if card.get("closed") is True else status,
            labels=tuple(
                name for label in object_list(card, "labels") if (name := text_field(label, "name"))
            ),
            url=text_field(card, "url") or None,
            updated_at=text_field(card, "dateLastActivity") or None,
        )

    @property
    def _board(self) -> str:
        return quote(str(self.settings["board"]), safe="")


KIND = TrackerKind(
    "trello", _PROFILE, Trello, _authorization,
    required_settings=("board",), optional_settings=("base_url", "lists"), identifying_settings=("board",),
    default_address="https://api.trello.com",
)  # fmt: skip
