// The board itself: loading, staying current one card at a time, and moves that may be refused.

import { get, post } from "../../api.js";
import { fade } from "../../dom.js";
import { feed } from "../../live.js";
import { recall, remember } from "../../memory.js";
import { Layout } from "./layout.js";
import { COLUMNS, FINISHED, OPEN, columnOf, moved, statusOf } from "./rules.js";

export const PATH = "tasks/taskpilot_board";
const PAGE = 500;
const MOST_CARDS = 5000;
const MOST_NAMED = 100;
const HAPPENINGS = ["created", "updated", "claimed", "released", "handed-over", "attached"];
const TICK = 10_000;
const GATHERED = 40;
const LOOKED = "board-seen";

/** Cards by state, as one view shows them. */
export class Board extends Layout {
  constructor(view, filters, options) {
    super(filters, options);
    Object.assign(this, { view, looked: recall(LOOKED) });
    Object.assign(this, { problems: new Map(), pending: new Set(), news: new Set(), turns: new Map() });
  }

  /** Load what is open or asked for, and what is finished as far as it is not folded; then stay current. */
  async load() {
    const { status } = this.filters;
    const known = status ? [...OPEN, ...FINISHED] : OPEN;
    for await (const answer of this.pages(status ?? OPEN, "ready")) this.take(answer, known);
    for (const name of FINISHED) if (!this.isFolded(name)) await this.unfold(name);
    const { view } = this, { signal } = view;
    const callbacks = Object.fromEntries(HAPPENINGS.map((name) => [`task.${name}`, (event) => this.hear(event)]));
    const stop = (view.feed ?? feed)("workspaces/current/events", callbacks, this.seq);
    view.on("tasks", () => this.tellOf((card) => card.lease_until)); // one that is renewed is no event of a task
    view.on("milestones", () => this.tellOf((card) => card.milestone)); // a closed one holds its tasks up
    signal.addEventListener("abort", () => (stop(), this.look()));
    document.addEventListener("visibilitychange", () => document.hidden && this.look(), { signal });
    // Find-in-page finds nodes: all cards are there from Ctrl-F until somebody is back on the page.
    const isFind = ({ ctrlKey, metaKey, key }) => (ctrlKey || metaKey) && key === "f";
    document.addEventListener("keydown", (event) => this.unroll(isFind(event)), { signal });
    document.addEventListener("pointerdown", () => this.unroll(false), { signal });
    addEventListener("resize", () => this.measure(), { signal });
  }

  async unfold(status) {
    if (this.loaded.has(status)) return;
    for await (const answer of this.pages([status], "updated")) this.take(answer, [status]);
  }

  async *pages(status, sort) {
    let answer, count = 0;
    do {
      const cursor = answer?.next_cursor;
      answer = await get(PATH, { ...this.filters, status, sort, limit: PAGE, cursor }, this.view);
      yield answer;
      count += answer.cards.length;
    } while (answer.next_cursor && count < MOST_CARDS);
  }

  take(answer, statuses) {
    this.seq ??= answer.seq;
    this.states = new Map(answer.columns.map((state) => [state.status, state]));
    for (const status of statuses) this.loaded.add(status);
    for (const card of answer.cards) this.cards.set(card.id, card);
    this.draw();
  }

  async fold(column) {
    const isOpen = this.unfolded.includes(column);
    this.unfolded = isOpen ? this.unfolded.filter((name) => name !== column) : [...this.unfolded, column];
    this.view.setQuery({ open: this.unfolded.join(",") });
    try {
      if (!isOpen) await this.unfold(column);
    } catch (problem) {
      return this.view.fail(this.heads.get(column).querySelector("h2"), problem);
    }
    this.draw();
    this.heads.get(column).querySelector("button").focus();
  }

  /** Show a card as it is now, where it belongs. */
  put(card, fresh = false) {
    const from = this.listOf(card.id), to = this.key(card);
    this.cards.set(card.id, card);
    if (!this.lists.has(to) && !this.isFolded(columnOf(card))) return this.draw();
    const list = this.lists.get(to);
    const isFocused = from?.nodes.get(card.id)?.contains(document.activeElement);
    if (from !== list) from?.remove(card.id);
    list?.take(card);
    if (isFocused && from !== list) this.focus(card.id);
    this.recount();
    if (!this.listOf(this.current)) this.choose(this.first());
    if (fresh && list?.nodes.has(card.id)) fade(list.nodes.get(card.id));
  }

  drop(id) {
    const list = this.listOf(id);
    this.cards.delete(id);
    list?.remove(id);
    this.recount();
    if (id === this.current) this.choose(this.first());
  }

  /** Hear of a change: the task it names, and those that may be ready or waiting because of it. */
  hear({ task_id: id, changed }) {
    const isHeldUp = ({ status, ready, blocked_by }) => status === "backlog" && !ready && !blocked_by;
    const mayWait = (card) => card.blocked_by?.includes(id) || isHeldUp(card);
    if (id) this.news.add(id);
    this.tellOf((card) => changed.includes("status") && mayWait(card));
  }

  /** Ask soon about some tasks, together with what else is heard meanwhile. */
  tellOf(choice) {
    for (const card of this.cards.values()) if (choice(card)) this.news.add(card.id);
    this.gathering ??= setTimeout(() => this.catchUp(), GATHERED);
  }

  async catchUp() {
    const ids = [...this.news].filter((id) => !this.pending.has(id));
    this.gathering = null;
    this.news.clear();
    try {
      await this.refresh([...ids], true);
    } catch {
      for (const id of ids) this.news.add(id);
      if (!this.view.signal.aborted) this.gathering ??= setTimeout(() => this.catchUp(), TICK);
    }
  }

  /** Ask how some tasks are, and show what differs; those that do not fit the filters any more are missing. */
  async refresh(ids, fresh = false) {
    if (!ids.length) return;
    if (ids.length > MOST_NAMED) await this.refresh(ids.splice(MOST_NAMED), fresh);
    const { cards, columns } = await get(PATH, { ...this.filters, task_ids: ids, limit: PAGE }, this.view);
    this.states = new Map(columns.map((state) => [state.status, state]));
    const found = new Map(cards.map((card) => [card.id, card]));
    const needed = new Set();
    for (const id of ids) {
      const before = this.cards.get(id), now = found.get(id);
      if (this.pending.has(id) || now?.version < before?.version) continue;
      if (!now && before) this.drop(id);
      if (!now || JSON.stringify(before) === JSON.stringify(now)) continue;
      this.put(now, fresh);
      // Those that it began or ceased to wait for hold up one more or one less.
      const others = new Set(before?.blocked_by).symmetricDifference(new Set(now.blocked_by));
      for (const other of others) if (this.cards.has(other)) needed.add(other);
    }
    await this.refresh([...needed], fresh);
    this.recount();
    this.settled?.();
  }

  /** Move a card at once, and back when the server refuses; the reason then stands at the card. */
  move(id, column, reason) {
    const write = (card) => {
      this.put(moved(card, column));
      const body = { task_id: id, set: { status: statusOf(column) }, reason: reason || undefined };
      return post("tasks/taskpilot_update", body, { version: card.version });
    };
    return this.attempt(id, write, `${id} is in ${COLUMNS.get(column)} now.`);
  }

  claim(id, action) {
    const success = action === "take" ? `${id} is yours now.` : `${id} is free again.`;
    return this.attempt(id, () => post("tasks/taskpilot_claim", { action, task_id: id }), success);
  }

  /** Write to a card once what was begun before is written: each write names the version that the last one left. */
  attempt(id, write, success) {
    const turn = Promise.resolve(this.turns.get(id)).then(() => this.carryOut(id, write, success));
    this.turns.set(id, turn);
    return turn;
  }

  async carryOut(id, write, success) {
    const before = this.cards.get(id);
    if (!before) return; // it left the board meanwhile
    this.pending.add(id);
    this.problems.delete(id);
    try {
      await write(before);
      if (this.looked) this.looked[id] = Infinity; // one's own change is no news
      this.view.announce(success);
    } catch (problem) {
      this.problems.set(id, problem.kind === "out_of_date" ? CONFLICT : problem);
      this.put(before);
      this.view.announce(`${id} is still in ${COLUMNS.get(columnOf(before))}: ${problem.message}`);
    } finally {
      this.pending.delete(id);
    }
    await this.refresh([id]).catch(() => {});
    this.listOf(id)?.repaint(id);
    if (this.current === id || document.activeElement === document.body) this.focus(id);
  }

  dismiss(id) {
    this.problems.delete(id);
    this.listOf(id).repaint(id);
    this.focus(id);
  }

  /** Make a card the one that keys mean, and that the Tab key comes to. */
  choose(id) {
    const parts = () => this.listOf(this.current)?.nodes.get(this.current)?.querySelectorAll("[data-part]") ?? [];
    for (const part of parts()) part.tabIndex = -1;
    this.current = id;
    for (const part of parts()) part.tabIndex = 0;
  }

  focus(id) {
    const node = this.listOf(id)?.reveal(id);
    if (!node) return;
    this.choose(id);
    node.querySelector(".name").focus({ preventScroll: true });
  }

  /** Tell whether a card changed since somebody last looked; a finished one that was never in view did not. */
  isNews({ id, status, version }) {
    return this.looked !== null && version > (this.looked[id] ?? (FINISHED.includes(status) ? Infinity : 0));
  }

  look() {
    const versions = [...this.cards.values()].map(({ id, version }) => [id, version]);
    remember(LOOKED, (this.looked = { ...this.looked, ...Object.fromEntries(versions) }));
  }
}

const CONFLICT = {
  message: "Somebody changed it meanwhile.",
  hint: "It is shown as it is now. Look at it, then move it again.",
};
