// The board itself: loading, staying current one card at a time, and moves that may be refused.

import { renewLeases } from "./card.js";
import { Layout } from "./layout.js";
import { MOST_NAMED } from "./source.js";
import { COLUMNS, FINISHED, OPEN, columnOf, moved, placeIn, refusal, statusOf } from "./rules.js";

const TICK = 10_000;
const GATHERED = 40;
const LOOKED = "board-looked";

/** Cards by state, as one view shows them. */
export class Board extends Layout {
  constructor(view, source, options) {
    super(source.filters, options);
    Object.assign(this, { view, source, problems: new Map(), pending: new Set(), own: new Set(), news: new Set(), renewed: false });
    this.looked = remembered();
    view.signal.addEventListener("abort", () => this.look());
  }

  /** Load what is open, and what is finished as far as it is not folded; then stay current. */
  async load() {
    for await (const answer of this.source.pages(OPEN, "ready")) this.take(answer, OPEN);
    if (!this.states.size) this.take({ ...(await this.source.cards(["TP-1"])), cards: [] }, []);
    for (const status of FINISHED) if (!this.isFolded(status)) await this.unfold(status);
    this.source.follow(this.seq, (event) => this.hear(event));
    this.view.on("tasks", () => (this.renewed = true));
    this.view.on("milestones", () => this.tellOf((card) => card.milestone)); // a closed one holds its tasks up
    const timer = setInterval(() => this.tick(), TICK);
    const hidden = () => document.hidden && this.look();
    document.addEventListener("visibilitychange", hidden, { signal: this.view.signal });
    // Find-in-page finds nodes: all cards are there from Ctrl-F until somebody is back on the page.
    document.addEventListener("keydown", (event) => this.unroll((event.ctrlKey || event.metaKey) && event.key === "f"), { signal: this.view.signal });
    document.addEventListener("pointerdown", () => this.unroll(false), { signal: this.view.signal });
    addEventListener("pagehide", () => this.look(), { signal: this.view.signal });
    addEventListener("resize", () => this.measure(), { signal: this.view.signal });
    this.view.signal.addEventListener("abort", () => clearInterval(timer));
  }

  /** Make nodes of all cards, or of those in view only. */
  unroll(whole) {
    for (const list of this.lists.values()) {
      if (list.whole === whole) continue;
      list.whole = whole;
      list.show();
    }
  }

  async unfold(status) {
    for await (const answer of this.source.pages([status], "updated")) this.take(answer, [status]);
  }

  /** Take in a page of cards and show all anew. */
  take(answer, statuses) {
    this.seq ??= answer.seq;
    this.states = new Map(answer.columns.map((state) => [state.status, state]));
    for (const status of statuses) this.loaded.add(status);
    for (const card of answer.cards) this.cards.set(card.id, card);
    this.draw();
  }

  async fold(column) {
    const folded = this.isFolded(column);
    this.unfolded = folded ? [...this.unfolded, column] : this.unfolded.filter((name) => name !== column);
    this.view.setQuery({ open: this.unfolded.join(",") || null });
    try {
      if (folded && !this.loaded.has(column)) await this.unfold(column);
    } catch (problem) {
      return this.view.fail(this.heads.get(column).querySelector("h2"), problem);
    }
    this.draw();
    this.heads.get(column).querySelector("button").focus();
  }

  /** What a card's node shows besides the card. */
  describe(id) {
    const dismiss = () => {
      this.problems.delete(id);
      this.listOf(id)?.repaint(id);
      this.focus(id);
    };
    const changed = !this.own.has(id) && isNewer(this.cards.get(id), this.looked);
    return { current: id === this.current, changed, problem: this.problems.get(id), dismiss };
  }

  /** Show a card as it is now: in place where it stays, else where it belongs. One that came from elsewhere fades once. */
  put(card, { fresh = false } = {}) {
    const before = this.cards.get(card.id);
    const [from, to] = [before && this.lists.get(this.key(before)), this.key(card)];
    this.cards.set(card.id, card);
    if (!this.lists.has(to) && !this.isFolded(columnOf(card))) return this.draw();
    const list = this.lists.get(to);
    if (!(list && from === list && list.replace(card))) {
      const focused = from?.nodes.get(card.id)?.contains(document.activeElement);
      from?.remove(card.id);
      list?.add(card);
      if (focused) this.focus(card.id);
      for (const column of new Set([from?.column, columnOf(card)])) if (column) this.recount(column);
      if (!this.listOf(this.current)) this.choose(this.first());
    }
    const node = list?.nodes.get(card.id);
    node?.classList.toggle("fresh", fresh);
    node?.addEventListener("animationend", () => node.classList.remove("fresh"), { once: true });
  }

  drop(id) {
    const list = this.listOf(id);
    this.cards.delete(id);
    list?.remove(id);
    if (list) this.recount(list.column);
    if (id === this.current) this.choose(this.first());
  }

  /** Hear of a change: the task it names, and those that may be ready or waiting because of it. */
  hear({ task_id: id, changed }) {
    const waitsForIt = (card) => card.blocked_by?.includes(id) || (card.status === "backlog" && !card.ready && !card.blocked_by);
    this.tellOf((card) => changed.includes("status") && waitsForIt(card), id ? [id] : []);
  }

  /** Ask soon about some tasks, together with what else is heard meanwhile. */
  tellOf(choice, ids = []) {
    for (const id of ids) this.news.add(id);
    for (const card of this.cards.values()) if (choice(card)) this.news.add(card.id);
    this.gathering ??= setTimeout(() => this.catchUp(), GATHERED);
  }

  async catchUp() {
    this.gathering = null;
    const ids = [...this.news].filter((id) => !this.pending.has(id));
    this.news.clear();
    try {
      await this.refresh([...ids], { fresh: true });
    } catch {
      for (const id of ids) this.news.add(id); // the next tick tries again
    }
  }

  /** Ask how some tasks are, and show what differs. */
  async refresh(ids, options) {
    if (!ids.length) return;
    if (ids.length > MOST_NAMED) await this.refresh(ids.splice(MOST_NAMED), options);
    const { cards, columns } = await this.source.cards(ids);
    this.states = new Map(columns.map((state) => [state.status, state]));
    const found = new Map(cards.map((card) => [card.id, card]));
    const needed = new Set();
    for (const id of ids) {
      const [before, now] = [this.cards.get(id), found.get(id)];
      if (this.pending.has(id) || now?.version < before?.version) continue;
      if (!now && before) this.drop(id);
      if (!now || JSON.stringify(before) === JSON.stringify(now)) continue;
      this.put(now, options);
      // Those that it began or ceased to wait for hold up one more or one less.
      for (const other of new Set(before?.blocked_by).symmetricDifference(new Set(now.blocked_by))) if (this.cards.has(other)) needed.add(other);
    }
    await this.refresh([...needed], options);
    for (const column of COLUMNS.keys()) if (!this.loaded.has(statusOf(column))) this.recount(column);
    this.settled?.();
  }

  /** Each few seconds: what is left of leases, and who renewed theirs, which is no event. */
  tick() {
    renewLeases(this.node);
    if (!(this.renewed || this.news.size) || document.hidden) return;
    this.renewed = false;
    this.tellOf((card) => card.lease_until);
  }

  /** Say why a card may not go into a column; null when it may. */
  refusal(id, column) {
    return this.cards.has(id) ? refusal(this.cards.get(id), column, this.states) : "It is not on the board any more.";
  }

  /** Tell whether a move needs a reason. */
  needsReason(id, column) {
    return this.states.get(this.cards.get(id).status)?.with_reason?.includes(statusOf(column)) ?? false;
  }

  /** Move a card at once, and back when the server refuses; the reason then stands at the card. */
  async move(id, column, reason) {
    const card = this.cards.get(id);
    const title = COLUMNS.get(column);
    await this.attempt(id, () => {
      this.put(moved(card, column));
      return this.source.move(card, statusOf(column), reason);
    }, `${id} is in ${title} now.`, `${id} went back to`);
  }

  /** Take a task or give it back. */
  claim(id, action) {
    return this.attempt(id, () => this.source.claim(id, action), action === "take" ? `${id} is yours now.` : `${id} is free again.`, `${id} stays in`);
  }

  async attempt(id, write, success, failure) {
    const before = this.cards.get(id);
    this.pending.add(id);
    this.problems.delete(id);
    try {
      await write();
      this.own.add(id);
      this.view.announce(success);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      this.problems.set(id, inWords(problem));
      this.put(before);
      this.view.announce(`${failure} ${COLUMNS.get(columnOf(before))}: ${problem.message}`);
    } finally {
      this.pending.delete(id);
    }
    await this.refresh([id]).catch(() => {});
    this.listOf(id)?.repaint(id);
    if (this.current === id || document.activeElement === document.body) this.focus(id);
  }

  /** Make a card the one that keys mean, and that the Tab key comes to. */
  choose(id) {
    const [before, now] = [this.current, id].map((name) => this.listOf(name)?.nodes.get(name));
    this.current = id;
    for (const part of before?.querySelectorAll("[data-part]") ?? []) part.tabIndex = -1;
    for (const part of now?.querySelectorAll("[data-part]") ?? []) part.tabIndex = 0;
  }

  /** Go to a card. */
  focus(id) {
    if (!this.listOf(id)) return;
    const node = this.listOf(id).reveal(id);
    this.choose(id);
    node?.querySelector(".name").focus({ preventScroll: true });
  }

  /** Where a card would land in a column: its list and place. */
  landing(id, column) {
    const card = moved(this.cards.get(id), column);
    const list = this.lists.get(`${this.lane(card)}\n${column}`);
    return { list, place: list && placeIn(list.cards, card) };
  }

  /** Remember how far somebody looked. */
  look() {
    if (!this.cards.size) return;
    const cards = [...this.cards.values()];
    const at = cards.reduce((latest, card) => (card.updated_at > latest ? card.updated_at : latest), "");
    // Moments are whole seconds: of the last one it is kept what was seen.
    const seen = cards.filter((card) => card.updated_at === at).map((card) => `${card.id} ${card.version}`);
    this.looked = { at, seen };
    this.own.clear();
    try {
      localStorage.setItem(LOOKED, JSON.stringify(this.looked));
    } catch {
      // Some places give a page no memory; then nothing is marked.
    }
  }
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(LOOKED));
  } catch {
    return null;
  }
}

function isNewer(card, looked) {
  return looked && (card.updated_at > looked.at || (card.updated_at === looked.at && !looked.seen.includes(`${card.id} ${card.version}`)));
}

function inWords(problem) {
  if (problem.kind !== "out_of_date") return problem;
  return { message: "Somebody changed it meanwhile.", hint: "It is shown as it is now. Look at it, then move it again." };
}
