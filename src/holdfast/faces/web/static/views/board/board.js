// The board: loads cards, keeps them current one at a time, and makes moves that the server may refuse.

import { get, post } from "../../api.js";
import { highlight } from "../../dom.js";
import { feed } from "../../live.js";
import { loadValue, saveValue } from "../../storage.js";
import { Layout } from "./layout.js";
import { COLUMNS, FINISHED, OPEN, columnOf, cardAfterMove, statusOf } from "./rules.js";

/** @import { View } from "../../view.js" */
/** @import { Card } from "./rules.js" */

export const PATH = "tasks/taskpilot_board";
/** The most cards that the server returns at a time. */
const PAGE_SIZE = 500;
/** A judgement: more cards on a board cannot be surveyed; the view then says that a filter shows others. */
const MAX_CARDS = 5000;
/** The most tasks that one request may name. */
const MAX_NAMED = 100;
const EVENTS = ["created", "updated", "claimed", "released", "handed-over", "attached"];
/** Delay before a failed refresh is tried again. */
const RETRY_MS = 10_000;
/** Events that arrive together, as when a task and its dependants change, share one request; a judgement. */
const BATCH_MS = 40;
const SEEN_VERSIONS = "board-seen";

/** The cards of the board, by status. */
export class Board extends Layout {
  /**
   * @param {View} view
   * @param {Record<string, any>} filters
   * @param {{lanes?: string | null, unfolded?: string[]}} options
   */
  constructor(view, filters, options) {
    super(filters, options);
    this.view = view;
    /** @type {Record<string, number> | null} the version of each task when the user last saw it */
    this.seenVersions = loadValue(SEEN_VERSIONS);
    /** @type {Map<string, any>} errors by the id of the card that shows them */
    this.problems = new Map();
    /** @type {Set<string>} cards that are being written */
    this.pending = new Set();
    /** @type {Set<string>} cards to refresh */
    this.stale = new Set();
    /** @type {Map<string, Promise<void>>} the last write of each card */
    this.writes = new Map();
    /** @type {number | undefined} */
    this.seq = undefined;
    /** @type {number | null} */
    this.refreshTimer = null;
    /** @type {() => void} called after each refresh */
    this.onRefresh = () => {};
  }

  /** Load all columns that are not folded, then follow changes. */
  async load() {
    const { status } = this.filters;
    const statuses = status ? [...OPEN, ...FINISHED] : OPEN;
    for await (const answer of this.pages(status ?? OPEN, "ready")) this.add(answer, statuses);
    for (const name of FINISHED) if (!this.isFolded(name)) await this.loadStatus(name);
    this.follow();
  }

  follow() {
    const { view } = this, { signal } = view;
    const callbacks = Object.fromEntries(EVENTS.map((name) => [`task.${name}`, (event) => this.receive(event)]));
    // The view inside a conversation has a feed of its own.
    const stop = (/** @type {any} */ (view).feed ?? feed)("workspaces/current/events", callbacks, this.seq);
    view.on("tasks", () => this.invalidate((card) => Boolean(card.lease_until))); // a renewal is no event of the task
    view.on("milestones", () => this.invalidate((card) => Boolean(card.milestone))); // closing one may unblock tasks
    signal.addEventListener("abort", () => (stop(), this.markSeen()));
    document.addEventListener("visibilitychange", () => document.hidden && this.markSeen(), { signal });
    // Find-in-page searches the document: it has all cards from Ctrl-F until the user is back on the page.
    document.addEventListener("keydown", ({ ctrlKey, metaKey, key }) =>
      this.setShowAll((ctrlKey || metaKey) && key === "f"), { signal });
    document.addEventListener("pointerdown", () => this.setShowAll(false), { signal });
    addEventListener("resize", () => this.measure(), { signal });
  }

  /** @param {string} status */
  async loadStatus(status) {
    if (this.loaded.has(status)) return;
    for await (const answer of this.pages([status], "updated")) this.add(answer, [status]);
  }

  /**
   * Request cards page by page.
   * @param {string[]} status
   * @param {"ready" | "updated"} sort
   */
  async *pages(status, sort) {
    let answer, count = 0;
    do {
      const cursor = answer?.next_cursor;
      answer = await get(PATH, { ...this.filters, status, sort, limit: PAGE_SIZE, cursor }, this.view);
      yield answer;
      count += answer.cards.length;
    } while (answer.next_cursor && count < MAX_CARDS);
  }

  /**
   * Add a page of cards.
   * @param {any} answer
   * @param {string[]} statuses those that it belongs to
   */
  add(answer, statuses) {
    this.seq ??= answer.seq;
    this.setStates(answer);
    for (const status of statuses) this.loaded.add(status);
    for (const card of answer.cards) this.cards.set(card.id, card);
    this.draw();
  }

  /** @param {any} answer */
  setStates({ columns }) {
    this.states = new Map(columns.map((state) => [state.status, state]));
  }

  /** @param {string} column */
  async fold(column) {
    const wasUnfolded = this.unfolded.includes(column);
    if (wasUnfolded) this.unfolded.splice(this.unfolded.indexOf(column), 1);
    else this.unfolded.push(column);
    this.view.setQuery({ open: this.unfolded.join(",") });
    const head = () => /** @type {HTMLElement} */ (this.heads.get(column));
    try {
      if (!wasUnfolded) await this.loadStatus(column);
    } catch (problem) {
      this.view.showError(/** @type {HTMLElement} */ (head().querySelector("h2")), problem);
      return;
    }
    this.draw();
    head().querySelector("button")?.focus();
  }

  /**
   * Show a card in its current state and place.
   * @param {Card} card
   * @param {boolean} isRemote whether somebody else changed it, which is then highlighted
   */
  put(card, isRemote = false) {
    const from = this.listOfCard(card.id), to = this.cellKey(card);
    this.cards.set(card.id, card);
    if (!this.lists.has(to) && !this.isFolded(columnOf(card))) {
      this.draw();
      return;
    }
    const list = this.lists.get(to);
    const isFocused = from?.nodes.get(card.id)?.contains(document.activeElement);
    if (from !== list) from?.remove(card.id);
    list?.put(card);
    if (isFocused && from !== list) this.focus(card.id);
    this.updateCounts();
    if (!this.listOfCard(this.current)) this.setCurrent(this.firstCardId());
    const node = list?.nodes.get(card.id);
    if (isRemote && node) highlight(node);
  }

  /** @param {string} id */
  drop(id) {
    const list = this.listOfCard(id);
    this.cards.delete(id);
    list?.remove(id);
    this.updateCounts();
    if (id === this.current) this.setCurrent(this.firstCardId());
  }

  /**
   * Receive an event: refresh the task that it names, and those that may become ready or blocked by it.
   * @param {{task_id?: string, changed: string[]}} event
   */
  receive({ task_id: id, changed }) {
    const waitsForParent = (/** @type {Card} */ { status, ready, blocked_by }) =>
      status === "backlog" && !ready && !blocked_by;
    const mayChange = (/** @type {Card} */ card) =>
      changed.includes("status") && (card.blocked_by?.includes(id ?? "") || waitsForParent(card));
    if (id) this.stale.add(id);
    this.invalidate(mayChange);
  }

  /**
   * Refresh some cards soon, together with what else changes until then.
   * @param {(card: Card) => boolean} isStale
   */
  invalidate(isStale) {
    for (const card of this.cards.values()) if (isStale(card)) this.stale.add(card.id);
    this.refreshTimer ??= setTimeout(() => this.refreshStale(), BATCH_MS);
  }

  async refreshStale() {
    const ids = [...this.stale].filter((id) => !this.pending.has(id));
    this.refreshTimer = null;
    this.stale.clear();
    try {
      await this.refresh([...ids], true);
    } catch {
      for (const id of ids) this.stale.add(id);
      if (!this.view.signal.aborted) this.refreshTimer ??= setTimeout(() => this.refreshStale(), RETRY_MS);
    }
  }

  /**
   * Request some cards and show those that differ; those that no longer pass the filters are removed.
   * @param {string[]} ids
   * @param {boolean} isRemote whether somebody else may have changed them
   */
  async refresh(ids, isRemote = false) {
    if (!ids.length) return;
    if (ids.length > MAX_NAMED) await this.refresh(ids.splice(MAX_NAMED), isRemote);
    const answer = await get(PATH, { ...this.filters, task_ids: ids, limit: PAGE_SIZE }, this.view);
    this.setStates(answer);
    /** @type {Map<string, Card>} */
    const found = new Map(answer.cards.map((card) => [card.id, card]));
    /** @type {Set<string>} */
    const affected = new Set();
    for (const id of ids) {
      const before = this.cards.get(id), now = found.get(id);
      if (this.pending.has(id) || (now && before && now.version < before.version)) continue;
      if (!now && before) this.drop(id);
      if (!now || JSON.stringify(before) === JSON.stringify(now)) continue;
      this.put(now, isRemote);
      // Tasks that it began or ceased to wait for block one more or one fewer.
      const others = new Set(before?.blocked_by).symmetricDifference(new Set(now.blocked_by));
      for (const other of others) if (this.cards.has(other)) affected.add(other);
    }
    await this.refresh([...affected], isRemote);
    this.updateCounts();
    this.onRefresh();
  }

  /**
   * Move a card at once, and back if the server refuses; the card then shows the reason.
   * @param {string} id
   * @param {string} column
   * @param {string | null} reason
   */
  move(id, column, reason) {
    const write = (/** @type {Card} */ card) => {
      this.put(cardAfterMove(card, column));
      const body = { task_id: id, set: { status: statusOf(column) }, reason: reason || undefined };
      return post("tasks/taskpilot_update", body, { version: card.version });
    };
    return this.attempt(id, write, `${id} is in ${COLUMNS.get(column)} now.`);
  }

  /**
   * @param {string} id
   * @param {"take" | "release"} action
   */
  claim(id, action) {
    const success = action === "take" ? `${id} is yours now.` : `${id} is free again.`;
    return this.attempt(id, () => post("tasks/taskpilot_claim", { action, task_id: id }), success);
  }

  /**
   * Write to a card once its previous write has ended: each write names the version that the previous one returned.
   * @param {string} id
   * @param {(card: Card) => Promise<any>} write
   * @param {string} success
   */
  attempt(id, write, success) {
    const done = Promise.resolve(this.writes.get(id)).then(() => this.write(id, write, success));
    this.writes.set(id, done);
    return done;
  }

  /**
   * @param {string} id
   * @param {(card: Card) => Promise<any>} write
   * @param {string} success
   */
  async write(id, write, success) {
    const before = this.cards.get(id);
    if (!before) return; // it left the board in the meantime
    this.pending.add(id);
    this.problems.delete(id);
    try {
      await write(before);
      if (this.seenVersions) this.seenVersions[id] = Infinity; // the user's own change is no news
      this.view.announce(success);
    } catch (problem) {
      this.problems.set(id, problem.kind === "out_of_date" ? CONFLICT : problem);
      this.put(before);
      this.view.announce(`${id} is still in ${COLUMNS.get(columnOf(before))}: ${problem.message}`);
    } finally {
      this.pending.delete(id);
    }
    await this.refresh([id]).catch(() => {});
    this.listOfCard(id)?.redraw(id);
    if (this.current === id || document.activeElement === document.body) this.focus(id);
  }

  /**
   * Remove the error from a card.
   * @param {string} id
   */
  dismiss(id) {
    this.problems.delete(id);
    this.listOfCard(id)?.redraw(id);
    this.focus(id);
  }

  /**
   * Make a card the one that keys act on and that Tab reaches.
   * @param {string | null} id
   */
  setCurrent(id) {
    const setTabIndex = (/** @type {number} */ index) => {
      const node = this.listOfCard(this.current)?.nodes.get(this.current ?? "");
      const parts = /** @type {NodeListOf<HTMLElement> | undefined} */ (node?.querySelectorAll("[data-part]"));
      for (const part of parts ?? []) part.tabIndex = index;
    };
    setTabIndex(-1);
    this.current = id;
    setTabIndex(0);
  }

  /** @param {string | null} id */
  focus(id) {
    const node = id !== null && this.listOfCard(id)?.reveal(id);
    if (!node) return;
    this.setCurrent(id);
    /** @type {HTMLElement | null} */ (node.querySelector(".name"))?.focus({ preventScroll: true });
  }

  /**
   * Return whether a card changed since the user last saw it; a finished one that was never in view did not.
   * @param {Card} card
   */
  isUnseen({ id, status, version }) {
    const unseen = FINISHED.includes(status) ? Infinity : 0;
    return this.seenVersions !== null && version > (this.seenVersions[id] ?? unseen);
  }

  markSeen() {
    const versions = [...this.cards.values()].map(({ id, version }) => [id, version]);
    saveValue(SEEN_VERSIONS, (this.seenVersions = { ...this.seenVersions, ...Object.fromEntries(versions) }));
  }
}

const CONFLICT = {
  message: "Somebody changed it meanwhile.",
  hint: "It is shown as it is now. Look at it, then move it again.",
};
