// The Issues view: a list of issues or milestones with a filter, or one of them in detail.

import { apiUrl, get, post } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { emptyState, quiet } from "../display.js";
import { el, fill, renderKeyed } from "../dom.js";
import { formDialog } from "../forms.js";
import { person } from "../people.js";
import { filterField } from "./issues/filter.js";
import { entityAddress, kindOf, listItem, textFields } from "./issues/entity.js";

/** @import { View } from "../view.js" */
/** @import { Item } from "./issues/entity.js" */

const KINDS = {
  issue: {
    title: "Issues", address: "/issues", example: "status == open and label in [bug]",
    sorts: ["updated:desc", "created:desc", "due", "title", "comments:desc"],
  },
  milestone: {
    title: "Milestones", address: "/issues?kind=milestone", example: "due < 2026-12-31 and open_issues > 0",
    sorts: ["due", "updated:desc", "created:desc", "title", "open_issues:desc"],
  },
};
/** The text of each sort key. */
const SORT_NAMES = {
  "updated:desc": "Latest change", "created:desc": "Newest", due: "Due first", title: "Title",
  "comments:desc": "Most comments", "open_issues:desc": "Most open issues",
};
const PATH = "milestones/git_mile_overview";
/** The number of items that are loaded at first and with each click on More; a judgement: about two screens. */
const ITEMS_PER_PAGE = 50;
/** The maximum that the server accepts as `limit`. */
const MAX_ITEMS_PER_REQUEST = 500;

/** @param {View} view */
export async function show(view) {
  const Content = view.parameters.id ? (await import("./issues/detail.js")).Detail : List;
  await new Content(view).start();
}

/** The list of issues or milestones. */
class List {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.kind = kindOf(view);
    /** The number of items to load. */
    this.itemCount = ITEMS_PER_PAGE;
    const { example } = KINDS[this.kind];
    const apply = (/** @type {string} */ filter) => this.changeQuery({ filter });
    this.filter = filterField(view.query.get("filter") ?? "", { example, apply, fields: () => this.fields() });
    this.header = el("header");
    /** @type {symbol | null} identifies the latest request, so that the responses to earlier ones are ignored */
    this.latestRequest = null;
    /** @type {Promise<{fields: any[], remote?: string}> | null} */
    this.vocabulary = null;
    this.list = el("ul.lines.plain-list.card");
    this.below = el("div.below");
    this.hint = el("p.quiet");
    this.notice = el("div.notice", { role: "status" });
  }

  async start() {
    const { view } = this;
    this.header = view.setHeading(KINDS[this.kind].title, {
      json: apiUrl(PATH, this.listQuery()),
      tools: [el("span.sync-place"), primaryButton(`New ${this.kind}`, () => this.create())],
      filters: this.controls(),
    });
    view.main.append(this.notice, this.hint, this.list, this.below);
    view.addKey("n", `New ${this.kind}`, () => this.create());
    view.addKey("j", "Next item", () => this.moveFocus(1));
    view.addKey("k", "Previous item", () => this.moveFocus(-1));
    view.addKey("f", "Filter", () => this.filter.input.focus());
    view.on("milestones", () => this.refresh());
    await this.refresh();
    this.offerSync();
    if (view.query.has("new")) {
      view.setQuery({ new: null });
      this.create();
    }
  }

  controls() {
    const tabs = Object.entries(KINDS).map(([kind, { title, address }]) =>
      el("a.button", { href: address, "aria-current": kind === this.kind ? "page" : null }, title));
    const { sorts } = KINDS[this.kind];
    const changeOrder = (/** @type {string} */ key) => this.changeQuery({ sort: key === sorts[0] ? null : key });
    const change = ({ target }) => this.changeQuery({ closed: target.checked ? "1" : null });
    const closed = el("input", { type: "checkbox", checked: this.view.query.has("closed"), on: { change } });
    /** @type {[string, string][]} */
    const options = sorts.map((/** @type {string} */ key) => [key, SORT_NAMES[key]]);
    const orders = choice("Order", options, this.sortKey(), changeOrder);
    return [el("nav.tabs.row", { "aria-label": "Kind" }, tabs), this.filter.node, orders,
      el("label.row", closed, "Show closed")];
  }

  /** Return the sort key of the URL, or the default. */
  sortKey() {
    return this.view.query.get("sort") ?? KINDS[this.kind].sorts[0];
  }

  /** Return the arguments of the operation that lists the items. */
  listQuery(more = {}) {
    const { query } = this.view;
    const filter = query.get("filter");
    const includeClosed = query.has("closed") || null;
    return { entity: this.kind, filter, sort: [this.sortKey()], includeClosed, limit: ITEMS_PER_PAGE, ...more };
  }

  /** Load the fields of the filter language and the name of the remote, once. */
  async loadVocabulary() {
    // If this request fails there are no completions; the list itself reports the error.
    this.vocabulary ??= get("milestones/git_mile_vocabulary", { entity: this.kind }, this.view)
      .catch(() => ({ fields: [] }));
    return this.vocabulary;
  }

  /** Return the fields of the filter language by name. */
  async fields() {
    const { fields } = await this.loadVocabulary();
    return new Map(fields.map((field) => [field.name, field]));
  }

  /** @param {Record<string, string | null>} changes */
  changeQuery(changes) {
    this.view.setQuery(changes);
    this.header.querySelector("a[target]")?.setAttribute("href", apiUrl(PATH, this.listQuery()));
    this.itemCount = ITEMS_PER_PAGE;
    return this.refresh();
  }

  /** Load the items, page by page, and draw those that have changed. */
  async refresh() {
    const request = Symbol("request");
    this.latestRequest = request;
    /** @type {any[]} */
    const items = [];
    try {
      /** @type {Record<string, any>} */
      let page = {};
      do {
        const limit = Math.min(MAX_ITEMS_PER_REQUEST, this.itemCount - items.length);
        page = await get(PATH, this.listQuery({ limit, cursor: page.nextCursor }), this.view);
        items.push(...page.items);
      } while (page.nextCursor && items.length < this.itemCount);
      if (this.latestRequest !== request) return;
      this.filter.showError(null);
      this.list.hidden = this.below.hidden = false;
      this.draw(items, Boolean(page.nextCursor));
      const hidesClosed = !this.view.query.has("closed");
      const closedHint = "Closed items are hidden. Tick “Show closed” to see them.";
      fill(this.hint, page.hint && (hidesClosed ? closedHint : page.hint));
    } catch (problem) {
      if (this.latestRequest !== request || problem.name === "AbortError") return;
      this.list.hidden = true; // it shows the items of an earlier request
      const isFilterError = problem.data?.column !== undefined;
      this.below.hidden = isFilterError;
      if (isFilterError) this.filter.showError(problem);
      else this.view.showError(this.below, problem);
    }
  }

  /**
   * @param {any[]} items
   * @param {boolean} hasMore
   */
  draw(items, hasMore) {
    renderKeyed(this.list, items, (item) => listItem(item, this.kind));
    const showMore = async () => {
      this.itemCount = items.length + ITEMS_PER_PAGE;
      await this.refresh();
      this.list.children[items.length]?.querySelector("a")?.focus();
    };
    const count = quiet(`${items.length} ${hasMore ? "shown" : "in all"}`);
    fill(this.below, items.length ? [hasMore && button("More", showMore), " ", count] : this.emptyMessage());
  }

  /** Return the empty state: no items at all, or none that match the filter. */
  emptyMessage() {
    const { kind, view: { query } } = this;
    const clear = () => {
      this.filter.input.value = "";
      this.changeQuery({ filter: null });
    };
    const searched = query.has("closed") ? kind : `open ${kind}`;
    const clearButton = button("Clear the filter", clear);
    if (query.get("filter")) return emptyState("search", `No ${searched} matches this filter.`, clearButton);
    const createButton = primaryButton(`Create the first ${kind}`, () => this.create());
    const command = el("pre", `git mile create ${kind} "What is to be done"`);
    const text = `There are no open ${kind}s. ${KINDS[kind].title} are stored in git refs of this repository, so ` +
      "they are cloned and fetched with it.";
    return emptyState(kind === "issue" ? "issues" : kind, text, createButton, el("p", "or run"), command);
  }

  /** @param {number} step 1 or -1 */
  moveFocus(step) {
    const links = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll("a.name")]);
    const current = links.findIndex((link) => link.closest("li")?.contains(document.activeElement));
    const next = current < 0 ? 0 : Math.min(links.length - 1, Math.max(0, current + step));
    links[next]?.focus();
  }

  /** Ask the user for a title and a description, create the issue or milestone, and show it. */
  async create() {
    const { view, kind } = this;
    const submit = (/** @type {object} */ texts) => post("milestones/git_mile_create", { entity: kind, ...texts });
    const created = await formDialog(view, `New ${kind}`, textFields({}), { verb: `Create ${kind}`, submit });
    if (created) view.go(entityAddress(kind, created.id));
  }

  /** Offer to synchronise with the remote, if there is one. */
  async offerSync() {
    const { remote } = await this.loadVocabulary();
    const place = /** @type {HTMLElement | null} */ (this.header.querySelector(".sync-place"));
    if (!remote || !place) return;
    const sync = button(`Sync with ${remote}`, () => this.sync(sync, remote));
    fill(place, sync);
  }

  /**
   * Synchronise with the remote and show the result.
   * @param {HTMLButtonElement} trigger
   * @param {string} remote
   */
  async sync(trigger, remote) {
    trigger.disabled = true;
    fill(this.notice, el("p.quiet", `Synchronising with ${remote}…`));
    await this.view.attempt(this.notice, async () => {
      const { received, sent, lost_claims: lost, problems } = await post("milestones/git_mile_sync");
      const summary = received + sent ? `Received ${received} and sent ${sent} changes.` : "Nothing to exchange.";
      const claimed = ({ id, title, holder }) => {
        const link = el("a", { href: entityAddress("issue", id) }, title);
        return el("p", "“", link, "” is now claimed by ", person(holder), ".");
      };
      await this.refresh();
      fill(this.notice, el("p", summary), lost.map(claimed), problems.map((text) => el("p.problem", text)));
    });
    trigger.disabled = false;
  }
}
