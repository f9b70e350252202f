// The board: loads cards, updates each one when it changes, and moves cards, which the server may refuse.

import { get, post } from "../../api.js";
import { highlight } from "../../dom.js";
import { followFeed } from "../../live.js";
import { loadValue, saveValue } from "../../storage.js";
import { Layout } from "./layout.js";
import { COLUMNS, FINISHED_STATUSES, OPEN_STATUSES, columnOf, cardAfterMove, statusOf } from "./rules.js";

/** @import { View } from "../../view.js" */
/** @import { Card } from "./rules.js" */

export const PATH = "tasks/taskpilot_board";
/** The maximum that the server accepts as `limit`. */
const CARDS_PER_REQUEST = 500;
/** A judgement: nobody surveys more cards; the view then suggests a filter. */
const MAX_CARDS = 5000;
/** The number of task ids that the server accepts in one request. */
const MAX_IDS_PER_REQUEST = 100;
/** The types of task events that change a card. */
const EVENT_TYPES = ["created", "updated", "claimed", "released", "handed-over", "taken-over", "attached"];
/** The delay before a failed refresh is repeated; a judgement: the server may be restarting. */
const RETRY_MS = 10_000;
/** A judgement: events of one change, as of a task and its dependants, arrive within this time and share a request. */
const BATCH_MS = 40;
/** The name under which the versions that the user saw are stored. */
const SEEN_VERSIONS = "board-seen";
/** Shown on a card whose write was refused because it named an older version. */
const CONFLICT = {
  message: "Somebody else has changed this task.",
  hint: "The card shows its current state. Move it again if that still applies.",
};

/** What to do about a write that only the holder of a task may make. */
const HELD_HINT = "Take the task over to change it yourself.";

/** The cards of the board, by status. */
export class Board extends Layout {
  /**
   * @param {View} view
   * @param {Record<string, any>} filters
   * @param {{laneProperty?: string | null, unfolded?: string[]}} options
   */
  constructor(view, filters, options) {
    super(filters, options);
    this.view = view;
    /** @type {Record<string, number> | null} the version of each task when the user last saw it */
    this.seenVersions = loadValue(SEEN_VERSIONS);
    /** @type {Map<string, any>} errors by the id of the card that shows them */
    this.problems = new Map();
    /** @type {Set<string>} ids of cards that are being written */
    this.pending = new Set();
    /** @type {Set<string>} ids of cards to refresh */
    this.stale = new Set();
    /** @type {Map<string, Promise<void>>} the last write of each card */
    this.writes = new Map();
    /** @type {number | undefined} the number of the last event when the cards were loaded */
    this.seq = undefined;
    /** @type {number | null} */
    this.refreshTimer = null;
    /** @type {() => void} called after each refresh */
    this.onRefresh = () => {};
  }

  /** Load all columns that are not folded, then follow changes. */
  async load() {
    const { status } = this.filters;
    const statuses = status ? [...OPEN_STATUSES, ...FINISHED_STATUSES] : OPEN_STATUSES;
    for await (const page of this.loadPages(status ?? OPEN_STATUSES, "ready")) this.addPage(page, statuses);
    for (const name of FINISHED_STATUSES) if (!this.isFolded(name)) await this.loadStatus(name);
    this.follow();
  }

  /** Follow changes until the view is left. */
  follow() {
    const { view } = this;
    const { signal } = view;
    const handle = (event) => this.handleEvent(event);
    const callbacks = Object.fromEntries(EVENT_TYPES.map((type) => [`task.${type}`, handle]));
    // The view inside a conversation has no event stream and follows feeds by polling.
    const follow = /** @type {any} */ (view).followFeed ?? followFeed;
    const stop = follow("workspaces/current/events", callbacks, this.seq);
    view.on("tasks", () => this.refreshSoon((card) => Boolean(card.lease_until))); // a renewed lease is not an event
    view.on("milestones", () => this.refreshSoon((card) => Boolean(card.milestone))); // closing one may unblock tasks
    signal.addEventListener("abort", () => {
      stop();
      this.markSeen();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.markSeen();
    }, { signal });
    // Find-in-page searches the document, so the document has all cards from Ctrl-F until the user clicks on the page.
    document.addEventListener("keydown", ({ ctrlKey, metaKey, key }) =>
      this.setShowAll((ctrlKey || metaKey) && key === "f"), { signal });
    document.addEventListener("pointerdown", () => this.setShowAll(false), { signal });
    addEventListener("resize", () => this.measure(), { signal });
  }

  /**
   * Load the cards with a status, unless they have been loaded.
   * @param {string} status
   */
  async loadStatus(status) {
    if (this.loaded.has(status)) return;
    for await (const page of this.loadPages([status], "updated")) this.addPage(page, [status]);
  }

  /**
   * Request cards page by page.
   * @param {string[]} status
   * @param {"ready" | "updated"} sort
   */
  async *loadPages(status, sort) {
    let page, loadedCount = 0;
    do {
      const query = { ...this.filters, status, sort, limit: CARDS_PER_REQUEST, cursor: page?.next_cursor };
      page = await get(PATH, query, this.view);
      yield page;
      loadedCount += page.cards.length;
    } while (page.next_cursor && loadedCount < MAX_CARDS);
  }

  /**
   * @param {any} page
   * @param {string[]} statuses the statuses of its cards
   */
  addPage(page, statuses) {
    this.seq ??= page.seq;
    this.setStates(page);
    for (const status of statuses) this.loaded.add(status);
    for (const card of page.cards) this.cards.set(card.id, card);
    this.draw();
  }

  /** @param {any} response */
  setStates({ columns }) {
    this.states = new Map(columns.map((state) => [state.status, state]));
  }

  /** @param {string} column */
  async toggleFold(column) {
    const index = this.unfolded.indexOf(column);
    const wasUnfolded = index >= 0;
    if (wasUnfolded) this.unfolded.splice(index, 1);
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
   * Show a new or changed card in its current place.
   * @param {Card} card
   * @param {boolean} isRemote whether somebody else changed the card; if so it is highlighted
   */
  putCard(card, isRemote = false) {
    const previousList = this.listOfCard(card.id);
    const key = this.cellKey(card);
    this.cards.set(card.id, card);
    const needsNewLane = !this.lists.has(key) && !this.isFolded(columnOf(card));
    if (needsNewLane) {
      this.draw();
      return;
    }
    const list = this.lists.get(key);
    const isFocused = previousList?.nodes.get(card.id)?.contains(document.activeElement);
    if (previousList !== list) previousList?.remove(card.id);
    list?.put(card);
    if (isFocused && previousList !== list) this.focus(card.id);
    this.updateCounts();
    if (!this.listOfCard(this.current)) this.setCurrent(this.firstCardId());
    const node = list?.nodes.get(card.id);
    if (isRemote && node) highlight(node);
  }

  /** @param {string} id */
  removeCard(id) {
    const list = this.listOfCard(id);
    this.cards.delete(id);
    list?.remove(id);
    this.updateCounts();
    if (id === this.current) this.setCurrent(this.firstCardId());
  }

  /**
   * Handle an event: refresh its task, and the tasks that it may have made ready or blocked.
   * @param {{task_id?: string, changed: string[]}} event
   */
  handleEvent({ task_id: id, changed }) {
    const waitsForParent = (/** @type {Card} */ { status, ready, blocked_by }) =>
      status === "backlog" && !ready && !blocked_by;
    const mayDepend = (/** @type {Card} */ card) => card.blocked_by?.includes(id ?? "") || waitsForParent(card);
    if (id) this.stale.add(id);
    this.refreshSoon((card) => changed.includes("status") && Boolean(mayDepend(card)));
  }

  /**
   * Refresh some cards soon, in one request with others that change until then.
   * @param {(card: Card) => boolean} isStale
   */
  refreshSoon(isStale) {
    for (const card of this.cards.values()) if (isStale(card)) this.stale.add(card.id);
    this.refreshTimer ??= setTimeout(() => this.refreshStale(), BATCH_MS);
  }

  /** Refresh the stale cards, except those that are being written; try again later if that fails. */
  async refreshStale() {
    const ids = [...this.stale].filter((id) => !this.pending.has(id));
    this.refreshTimer = null;
    this.stale.clear();
    try {
      await this.refresh(ids, true);
    } catch {
      for (const id of ids) this.stale.add(id);
      if (!this.view.signal.aborted) this.refreshTimer ??= setTimeout(() => this.refreshStale(), RETRY_MS);
    }
  }

  /**
   * Request some cards and show those that have changed. Cards that no longer match the filters are removed.
   * @param {string[]} ids
   * @param {boolean} isRemote whether somebody else may have changed them
   */
  async refresh(ids, isRemote = false) {
    if (!ids.length) return;
    const batch = ids.slice(0, MAX_IDS_PER_REQUEST);
    await this.refresh(ids.slice(MAX_IDS_PER_REQUEST), isRemote);
    const response = await get(PATH, { ...this.filters, task_ids: batch, limit: CARDS_PER_REQUEST }, this.view);
    this.setStates(response);
    /** @type {Map<string, Card>} */
    const cards = new Map(response.cards.map((card) => [card.id, card]));
    /** @type {Set<string>} */
    const affected = new Set();
    for (const id of batch) {
      const before = this.cards.get(id), after = cards.get(id);
      const isOutdated = after && before && after.version < before.version;
      if (this.pending.has(id) || isOutdated) continue;
      if (!after && before) this.removeCard(id);
      if (!after || JSON.stringify(before) === JSON.stringify(after)) continue;
      this.putCard(after, isRemote);
      // Each task that was added to or removed from `blocked_by` now blocks one more or one fewer.
      const blockers = new Set(before?.blocked_by).symmetricDifference(new Set(after.blocked_by));
      for (const blocker of blockers) if (this.cards.has(blocker)) affected.add(blocker);
    }
    await this.refresh([...affected], isRemote);
    this.updateCounts();
    this.onRefresh();
  }

  /**
   * Move a card at once. If the server refuses, the card goes back and shows the reason.
   * @param {string} id
   * @param {string} column
   * @param {string | null} reason
   */
  move(id, column, reason) {
    const write = (/** @type {Card} */ card, /** @type {boolean} */ take_over) => {
      this.putCard(cardAfterMove(card, column));
      const body = { task_id: id, set: { status: statusOf(column) }, reason: reason || undefined, take_over };
      return post("tasks/taskpilot_update", body, { version: card.version });
    };
    return this.queueWrite(id, write, `${id} is now in ${COLUMNS.get(column)}.`);
  }

  /**
   * @param {string} id
   * @param {"take" | "release"} action
   */
  claim(id, action) {
    const success = action === "take" ? `You now hold ${id}.` : `You have released ${id}.`;
    return this.queueWrite(id, (_, takeOver) => post("tasks/taskpilot_claim",
      { action, task_id: id, take_over: takeOver || undefined }), success);
  }

  /**
   * Write to a card after its previous write, because a write names the version that the previous one produced.
   * @param {string} id
   * @param {(card: Card, takeOver: boolean) => Promise<any>} write `takeOver`: whether to take it from its holder
   * @param {string} success announced if the write succeeds
   */
  queueWrite(id, write, success, takeOver = false) {
    const done = Promise.resolve(this.writes.get(id)).then(() => this.write(id, write, success, takeOver));
    this.writes.set(id, done);
    return done;
  }

  /**
   * Write to a card; if that fails, show the error on the card.
   * @param {string} id
   * @param {(card: Card, takeOver: boolean) => Promise<any>} write
   * @param {string} success
   * @param {boolean} takeOver
   */
  async write(id, write, success, takeOver) {
    const before = this.cards.get(id);
    if (!before) return; // the card has left the board
    this.pending.add(id);
    this.problems.delete(id);
    try {
      const { task } = await write(before, takeOver);
      if (this.seenVersions) this.seenVersions[id] = task.version; // the user knows their own change
      this.view.announce(success);
    } catch (problem) {
      const shown = problem.kind === "out_of_date" ? CONFLICT : problem;
      if (problem.kind === "already_claimed") {
        shown.hint = HELD_HINT;
        shown.takeOver = () => this.queueWrite(id, write, success, true);
      }
      this.problems.set(id, shown);
      this.putCard(before);
      this.view.announce(`${id} is still in ${COLUMNS.get(columnOf(before))}: ${problem.message}`);
    } finally {
      this.pending.delete(id);
    }
    await this.refresh([id]).catch(() => {});
    this.listOfCard(id)?.redraw(id);
    if (this.current === id || document.activeElement === document.body) this.focus(id);
  }

  /** @param {string} id */
  dismissProblem(id) {
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

  /**
   * Scroll a card into view and focus it.
   * @param {string | null} id
   */
  focus(id) {
    const node = id !== null && this.listOfCard(id)?.reveal(id);
    if (!node) return;
    this.setCurrent(id);
    /** @type {HTMLElement | null} */ (node.querySelector(".name"))?.focus({ preventScroll: true });
  }

  /**
   * Return whether a card has changed since the user last saw it. A finished task that the user never saw has not.
   * @param {Card} card
   */
  isUnseen({ id, status, version }) {
    if (this.seenVersions === null) return false; // the user's first visit
    const seenVersion = this.seenVersions[id] ?? (FINISHED_STATUSES.includes(status) ? Infinity : 0);
    return version > seenVersion;
  }

  markSeen() {
    const versions = [...this.cards.values()].map(({ id, version }) => [id, version]);
    this.seenVersions = { ...this.seenVersions, ...Object.fromEntries(versions) };
    saveValue(SEEN_VERSIONS, this.seenVersions);
  }
}
