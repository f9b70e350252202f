"""The cards of a board: what each shows and lacks, where it may go, and how many there are."""

from __future__ import annotations

from holdfast.tasks.store.records import Draft, TaskLink
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.list_tasks import ShowBoard, board
from holdfast.tasks.tools.update import UpdateTask, update
from tests.tasks.claims import claim
from tests.tasks.conftest import ADA


def test_cards_tell_what_is_missing_who_holds_them_and_where_they_may_go(room: Tasks) -> None:
    room.create(
        [
            Draft("First", ref="one", criteria=["a", "b"], labels=["api", "web"], milestone="m"),
            Draft("Second", depends_on=[("#one", "blocks")], links=[TaskLink("comment", "a.py#c_1")]),
            Draft("Third", priority="low"),
        ],
        ADA,
    )
    room.create([Draft("Part of the first", parent="TP-1")], ADA)
    update(room, UpdateTask(task_id="TP-1", check=[1]))
    claim(room, "TP-1", ADA)

    shown = board(room, ShowBoard())

    cards = {card.id: card for card in shown.cards}
    first, second = cards["TP-1"], cards["TP-2"]
    assert (first.criteria_met, first.criteria, first.labels, first.unblocks) == (1, 2, ["api", "web"], 1)
    assert first.lacks == ["criterion 2 is not checked", "subtasks are open: TP-4"]
    assert first.lacks_codes == ["unchecked_criterion", "open_subtasks"]
    assert first.claimed_by == "ada"
    assert first.lease_until is not None
    assert first.yours is None
    assert second.blocked_by == ["TP-1"]
    assert second.remarks == 1
    assert second.lacks is None
    assert second.lacks_codes is None
    in_order = sorted(shown.cards, key=lambda card: card.order)
    assert [card.id for card in in_order] == [card.id for card in board(room, ShowBoard(sort="ready")).cards]
    assert in_order != sorted(shown.cards, key=lambda card: card.id)
    columns = {column.status: column for column in shown.columns}
    assert (columns["backlog"].total, columns["in-progress"].total) == (3, 1)
    assert "done" in columns["review"].goes_to
    assert columns["done"].with_reason == ["in-progress"]


def test_cards_come_in_pages_by_name_and_by_the_filters_of_lists(room: Tasks) -> None:
    room.create([Draft(f"Task {number}", labels=["odd"] * (number % 2)) for number in range(1, 8)], ADA)
    first = board(room, ShowBoard(limit=3))
    rest = board(room, ShowBoard(limit=500, cursor=first.next_cursor))
    assert [card.id for card in (*first.cards, *rest.cards)] == [f"TP-{number}" for number in range(1, 8)]
    odd = board(room, ShowBoard(label="odd", task_ids=["TP-1", "TP-2"]))
    assert [card.id for card in odd.cards] == ["TP-1"]
    assert odd.total == 1
    assert odd.columns[0].total == 4
