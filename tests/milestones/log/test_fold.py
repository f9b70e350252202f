"""The fold: one state for one set of operations, in whatever order and however often they come."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.milestones.entity import Entity
from holdfast.milestones.log.entry import (
    MAX_LAMPORT,
    Entry,
    commit_message,
    derived_id,
    operation_lines,
    parse,
)
from holdfast.milestones.log.fold import EntityState, fold
from tests.reliability.evidence import Tally
from tests.reliability.samples import samples

HISTORIES = samples("histories")
ENTITY = derived_id("entity")
TIME = "2026-06-01T12:00:00Z"


def entry(name: str, lamport: int, type_: str, **more: object) -> Entry:
    return Entry(derived_id(name), ENTITY, "issue", lamport, TIME, f"{name[0]} <m>", type_, **more)  # type: ignore[arg-type]


def created(**contents: object) -> Entry:
    return entry("created", 1, "create", value={"title": "First", "status": "open", **contents})


def folded(*entries: Entry) -> Entity:
    state = fold(entries)
    assert state is not None
    return state.entity()


def ids(*names: str) -> tuple[str, ...]:
    return tuple(derived_id(name) for name in names)


@pytest.mark.requirement("milestones-45")
def test_of_two_concurrent_values_the_last_wins_and_the_other_stays_visible():
    ours = entry("a", 2, "set", field="title", value="Ours", over=ids("created"))
    theirs = entry("b", 2, "set", field="title", value="Theirs", over=ids("created"))
    winner, loser = sorted([ours, theirs], key=lambda one: one.place, reverse=True)
    for order in permutations([created(), ours, theirs]):
        entity = folded(*order)
        assert entity.title == winner.value
        (contested,) = entity.contested
        assert (contested.field, contested.winner.value) == ("title", winner.value)
        assert [(one.value, one.operation) for one in contested.losers] == [(loser.value, loser.id)]


def test_a_later_value_settles_what_was_contested():
    ours = entry("a", 2, "set", field="title", value="Ours", over=ids("created"))
    theirs = entry("b", 2, "set", field="title", value="Theirs", over=ids("created"))
    settled = entry("c", 3, "set", field="title", value="Both", over=ids("a", "b"))
    assert folded(created(), ours, theirs, settled).contested == ()
    assert folded(settled, theirs, created(), ours).title == "Both"


def test_two_who_wrote_the_same_do_not_contest_each_other():
    both = [entry(name, 2, "set", field="due", value="2026-07-01", over=ids("created")) for name in "ab"]
    entity = folded(created(), *both)
    assert (entity.due, entity.contested) == ("2026-07-01", ())


@pytest.mark.requirement("milestones-46")
def test_an_addition_wins_over_a_removal_that_did_not_see_it():
    first = entry("a", 2, "add", field="labels", value="bug")
    unseen = entry("b", 3, "add", field="labels", value="bug")
    removal = entry("c", 4, "remove", field="labels", value="bug", over=ids("a"))
    assert folded(created(), first, removal).labels == ()
    assert folded(created(), first, unseen, removal).labels == ("bug",)
    assert folded(created(), removal).labels == ()


def test_a_removal_of_one_label_leaves_the_others_that_came_with_the_creation():
    removal = entry("c", 4, "remove", field="labels", value="bug", over=ids("created"))
    assert folded(created(labels=["bug", "urgent"]), removal).labels == ("urgent",)


def test_comments_only_grow_edits_show_the_last_and_a_deletion_is_for_good():
    comment = entry("a", 2, "comment", value="Frist")
    edit = entry("b", 3, "edit", target=comment.id, value="First", over=ids("a"))
    deletion = entry("c", 3, "edit", target=comment.id)
    late = entry("d", 9, "edit", target=comment.id, value="Still here", over=ids("a", "b"))
    (shown,) = folded(created(), comment, edit).comments
    assert (shown.body, shown.author, shown.edited, shown.deleted) == ("First", "a <m>", TIME, False)
    (gone,) = folded(late, deletion, created(), edit, comment).comments
    assert (gone.body, gone.deleted, gone.author) == ("", True, "a <m>")
    assert folded(created(), comment, deletion).comment_count == 0


def test_of_concurrent_claims_the_first_wins_and_the_other_stays_visible():
    one = entry("a", 5, "claim", value={"until": "2026-06-01T13:00:00Z", "r": "one"})
    two = entry("b", 6, "claim", value={"until": "2026-06-01T14:00:00Z", "r": "two"})
    entity = folded(created(), two, one)
    assert [claim.replica for claim in entity.claims] == ["one", "two"]
    assert entity.holder(TIME) == entity.claims[0]
    assert entity.holder("2026-06-01T13:30:00Z") == entity.claims[1]
    release = entry("c", 7, "claim", over=ids("a", "b"))
    assert folded(created(), one, two, release).claims == ()


@pytest.mark.parametrize(
    "strange",
    [
        entry("x", 7, "sparkle", value={"deep": [1]}),
        entry("x", 7, "set", field="colour", value="red"),
        entry("x", 7, "set", field="status", value="half-open"),
        entry("x", 7, "set", field="due", value="someday"),
        entry("x", 7, "set", field="milestone", value="not-an-id"),
        entry("x", 7, "set", field="title", value=7),
        entry("x", 7, "add", field="labels", value=["a"]),
        entry("x", 7, "edit", target="nothing", value="x"),
        entry("x", 7, "claim", value={"until": "tomorrow", "r": "one"}),
        entry("x", 7, "set", field="title", value="Newer", version=2),
        entry("x", 7, "set", field="title", value="Other")._replace(kind="milestone"),
    ],
)
def test_what_this_version_does_not_know_is_counted_and_skipped(strange: Entry):
    entity = folded(created(), strange)
    assert (entity.title, entity.waiting, entity.updated) == ("First", 1, TIME)
    again = parse(strange.line())
    assert again == strange, "and it survives being written and read"


def test_operations_of_an_entity_that_nobody_created_yet_wait():
    change = entry("a", 2, "set", field="title", value="Later")
    assert fold([change]) is None
    assert folded(change, created()).title == "Later"


def test_operations_that_claim_to_replace_each_other_leave_one_value():
    one = entry("a", 2, "set", field="title", value="One", over=ids("b", "created"))
    two = entry("b", 3, "set", field="title", value="Two", over=ids("a", "created"))
    assert folded(created(), one, two).title == folded(two, one, created()).title


@pytest.mark.requirement("reliability-C4")
@pytest.mark.evidence("C4", "milestones", "times that contradict the logical clock", every=True)
def test_order_is_by_the_logical_clock_whatever_the_time_says():
    early = entry("a", 2, "set", field="title", value="Early", over=ids("created"))._replace(
        time="2099-01-01T00:00:00Z"
    )
    late = entry("b", 3, "set", field="title", value="Late", over=ids("a"))._replace(
        time="1999-01-01T00:00:00Z"
    )
    entity = folded(late, early, created())
    assert (entity.title, entity.updated) == ("Late", "1999-01-01T00:00:00Z")


def test_a_line_is_canonical_ascii_and_reads_back_the_same():
    written = entry("a", 2, "comment", value='Grüße "quoted"\n\u2028 👩‍🚀 \x00')
    line = written.line()
    assert line.isascii()
    assert "\n" not in line
    assert parse(line) == written
    keys = [part.split('"')[1] for part in line[1:].split(',"') if ":" in part]
    assert line.startswith('{"by":')
    assert keys[0] == "by"
    assert list(operation_lines(commit_message([written, created()]))) == [line, created().line()]


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "{}", "7", '{"op":1}', created().line() + " ", created().line()[:-1], "{" * 100_000]
    + [
        created().line().replace('"l":1', f'"l":{bad}')
        for bad in ("0", "-1", "1.5", "true", '"1"', str(2**53))
    ],
)
def test_a_line_that_is_no_operation_is_none(line: str):
    assert parse(line) is None
    assert created()._replace(lamport=MAX_LAMPORT).line()


# Convergence, on histories made by replicas that exchange operations at random.


class Replica:
    """A clone in memory: writes on top of what it knows, and learns from others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[str, Entry] = {}
        self.count = 0

    def state(self) -> EntityState | None:
        return fold(self.known.values())

    def write(self, type_: str, **more: object) -> None:
        self.count += 1
        lamport = 1 + max((one.lamport for one in self.known.values()), default=0)
        written = entry(f"{self.name}{self.count}", lamport, type_, **more)
        self.known[written.id] = written

    def act(self, choice: int, word: str) -> None:
        state = self.state()
        if state is None:
            self.write("create", value={"title": word, "labels": [word]})
            return
        comments = list(state.comments)
        acts = [
            lambda: self.write("set", field="title", value=word, over=state.holders("title")),
            lambda: self.write("set", field="assignee", value=word, over=state.holders("assignee")),
            lambda: self.write("set", field="status", value="closed", over=state.holders("status")),
            lambda: self.write("add", field="labels", value=word),
            lambda: self.write("remove", field="labels", value=word, over=state.additions("labels", word)),
            lambda: self.write("comment", value=word),
            lambda: comments and self.write("edit", target=comments[-1], value=word),
            lambda: comments and self.write("edit", target=comments[0]),
            lambda: self.write("claim", value={"until": "2026-06-02T00:00:00Z", "r": self.name}),
            lambda: self.write("unheard-of", value=word),
        ]
        acts[choice % len(acts)]()


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.sampled_from("pqrs"), st.integers(0, 3)),
    min_size=1,
    max_size=25,
)


def states(
    steps: Iterable[tuple[int, int, str, int]],
    seed: int,
    fold: Callable[[Iterable[Entry]], EntityState | None],
) -> tuple[dict[str, Entry], list[Entity | None]]:
    """Let clones write and learn as told; return all operations, and what each clone makes of them."""
    replicas = [Replica(name) for name in "wxyz"]
    for who, choice, word, other in steps:
        if choice > 10:
            replicas[who].known |= replicas[other].known
        else:
            replicas[who].act(choice, word)
    union = {name: one for replica in replicas for name, one in replica.known.items()}
    orders = random.Random(seed)
    results = []
    for replica in replicas:
        arrived = list(replica.known.values())
        missing = [one for one in union.values() if one.id not in replica.known]
        orders.shuffle(missing)
        again = orders.sample(arrived, len(arrived) // 2)
        state = fold([*arrived, *missing, *again])
        results.append(None if state is None else state.entity())
    return union, results


@pytest.mark.requirement("milestones-44", "reliability-B7")
@settings(max_examples=HISTORIES)
@given(steps=STEPS, seed=st.integers(0, 2**32))
@pytest.mark.evidence("B7", "milestones", "histories of four clones in other orders", samples=HISTORIES)
def test_a_thousand_histories_of_four_clones_converge_in_every_order(
    steps: list[tuple[int, int, str, int]], seed: int
):
    union, results = states(steps, seed, fold)
    assert all(result == results[0] for result in results)
    if results[0] is not None:
        commented = {one.id for one in union.values() if one.type == "comment"}
        assert {comment.id for comment in results[0].comments} == commented


@pytest.mark.evidence("B7", "milestones", control="takes operations in the order they came")
def test_control_operations_taken_in_the_order_they_came_do_not_converge(tally: Tally):
    def fold_as_they_came(entries: Iterable[Entry]) -> EntityState | None:
        return fold(one._replace(lamport=place) for place, one in enumerate(entries, 1))

    differ, choices = 0, random.Random(3)
    for seed in range(100):
        steps = [tuple(choices.randrange(n) for n in (4, 13, 4, 4)) for _ in range(20)]
        named = [(who, choice, "pqrs"[word], other) for who, choice, word, other in steps]
        _, results = states(named, seed, fold_as_they_came)
        differ += any(result != results[0] for result in results)
    tally(100, differ)
    assert differ
