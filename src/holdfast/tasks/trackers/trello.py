"""Trello: the cards of one board, whose lists are the states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import quote

from holdfast.kernel.errors import Conflict, Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.trackers.foreign import ForeignTask, status_of
from holdfast.tasks.trackers.service import ServiceProfile, ServiceTracker
from holdfast.tasks.trackers.tracker import (
    Account,
    Mark,
    TrackerKind,
    item_id,
    items,
    object_list,
    text_field,
    text_table,
)

_ASKED = "name,desc,idList,closed,dateLastActivity,url,labels"
_PAGE = 1000
_PROFILE = ServiceProfile("Trello", "Set TRELLO_KEY and TRELLO_TOKEN.")


def _authorization(settings: Mapping[str, Any], configuration: UsersConfiguration) -> dict[str, str]:
    """Return key and token in a header, because addresses end up in logs."""
    del settings
    key, token = configuration.variable("TRELLO_KEY"), configuration.variable("TRELLO_TOKEN")
    if key is None or token is None:
        raise Unavailable("There is no key and token for Trello.", hint=_PROFILE.token_hint)
    return {"Authorization": f'OAuth oauth_consumer_key="{key}", oauth_token="{token}"'}


class Trello(ServiceTracker):
    """One board. `lists` in the settings maps lists to states, where their names do not say it."""

    carries: ClassVar[frozenset[str]] = frozenset({"title", "description", "status"})

    def whoami(self) -> Account:
        """Return our account, after a request that shows that it works."""
        account = text_field(self.service.get("/1/members/me").json(), "fullName", "username")
        board = self.service.get(f"/1/boards/{self._board}", {"fields": "name,url"}).json()
        return Account(account, text_field(board, "name"), text_field(board, "url") or None)

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Return the cards that changed since the mark. Trello lists the newest first, paged by `before`."""
        query = {"fields": _ASKED, "filter": "all", "limit": _PAGE, "before": None}
        found: list[ForeignTask] = []
        for _ in self.service.turns():
            cards = items(self.service.get(f"/1/boards/{self._board}/cards", query).json())
            found += [self._task(card) for card in cards]
            if len(cards) < _PAGE:
                break
            query["before"] = text_field(cards[-1], "id")
        since = mark.since
        found.sort(key=lambda task: task.updated_at or "")
        return mark.passing(task for task in found if since is None or (task.updated_at or "") >= since)

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create a card."""
        return self._task(self.service.send("POST", "/1/cards", self._fields(task, self.carries)))

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change a card."""
        address = f"/1/cards/{quote(origin, safe='')}"
        return self._task(self.service.send("PUT", address, self._fields(whole, values)))

    def _fields(self, task: ForeignTask, names: Any) -> dict[str, Any]:
        given = {"title": ("name", task.title), "description": ("desc", task.description)}
        sent: dict[str, Any] = dict(field for name, field in given.items() if name in names)
        if "status" in names:
            sent["closed"] = task.status == "dropped"
            if not sent["closed"]:
                sent["idList"] = self._list_for(task.status)
        return sent

    def _list_for(self, status: str) -> str:
        for name, meaning in self._states.items():
            if meaning == status:
                return name
        raise Conflict(
            f"The board has no list for '{status}'.",
            hint='Say which it is in the config: {"lists": {"Name of the list": "' + status + '"}}.',
        )

    @cached_property
    def _states(self) -> dict[str, str]:
        """Return the state of each list by its id; a list that maps to no state is backlog."""
        configured = text_table(self.settings, "lists")
        lists = items(self.service.get(f"/1/boards/{self._board}/lists", {"filter": "open"}).json())
        meanings = {text_field(item, "id"): text_field(item, "name") for item in lists}
        known = {key: status_of(configured.get(name, name)) for key, name in meanings.items()}
        order = sorted(known, key=lambda key: known[key] is None)
        return {key: known[key] or "backlog" for key in order}

    def _task(self, card: Mapping[str, Any]) -> ForeignTask:
        state = self._states.get(text_field(card, "idList"), "backlog")
        return ForeignTask(
            origin=item_id(card, "id"),
            title=text_field(card, "name"),
            description=text_field(card, "desc"),
            status="dropped" if card.get("closed") is True else state,  # type: ignore[arg-type]
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
    needed=("board",), optional=("base_url", "lists"), identifying=("board",),
    usual_address="https://api.trello.com",
)  # fmt: skip
