// The Issues view: a list of issues or milestones with a filter, or the page of one of them.

import { apiUrl, get, post } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { emptyState, quiet } from "../display.js";
import { el, fill, renderKeyed } from "../dom.js";
import { formDialog } from "../forms.js";
import { filterLine } from "./issues/filter.js";
import { entityAddress, kindOf, listItem, personName, textFields } from "./issues/entity.js";

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
const SORTS = {
  "updated:desc": "Latest change", "created:desc": "Newest", due: "Due first", title: "Title",
  "comments:desc": "Most comments", "open_issues:desc": "Most open issues",
};
const PATH = "milestones/git_mile_overview";
const PAGE_SIZE = 50;
/** The most lines that the server returns at a time. */
const MAX_PAGE_SIZE = 500;

/** @param {View} view */
export async function show(view) {
  const Content = view.parameters.id ? (await import("./issues/detail.js")).Detail : List;
  await new Content(view).start();
}

/** The list. */
class List {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.kind = kindOf(view);
    /** How many lines the user has asked for. */
    this.wanted = PAGE_SIZE;
    const { example } = KINDS[this.kind];
    const apply = (/** @type {string} */ filter) => this.ask({ filter });
    this.filter = filterLine(view.query.get("filter") ?? "", { example, apply, fields: () => this.fields() });
    this.header = el("header");
    /** @type {symbol | null} the newest request */
    this.newest = null;
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
      json: apiUrl(PATH, this.question()),
      tools: [el("span.sync-place"), primaryButton(`New ${this.kind}`, () => this.create())],
      filters: this.controls(),
    });
    view.main.append(this.notice, this.hint, this.list, this.below);
    view.addKey("n", `New ${this.kind}`, () => this.create());
    view.addKey("j", "Next line", () => this.move(1));
    view.addKey("k", "Previous line", () => this.move(-1));
    view.addKey("f", "Filter", () => this.filter.input.focus());
    view.on("milestones", () => this.refresh());
    await this.refresh();
    this.offerSync();
  }

  controls() {
    const tabs = Object.entries(KINDS).map(([kind, { title, address }]) =>
      el("a.button", { href: address, "aria-current": kind === this.kind ? "page" : null }, title));
    const { sorts } = KINDS[this.kind];
    const order = (/** @type {string} */ key) => this.ask({ sort: key === sorts[0] ? null : key });
    const change = ({ target }) => this.ask({ closed: target.checked ? "1" : null });
    const closed = el("input", { type: "checkbox", checked: this.view.query.has("closed"), on: { change } });
    const orders = choice("Order", sorts.map((/** @type {string} */ key) => [key, SORTS[key]]), this.sort(), order);
    return [el("nav.tabs.row", { "aria-label": "Kind" }, tabs), this.filter.node, orders,
      el("label.row", closed, "Closed too")];
  }

  sort() {
    return this.view.query.get("sort") ?? KINDS[this.kind].sorts[0];
  }

  question(more = {}) {
    const { query } = this.view;
    const [filter, includeClosed] = [query.get("filter"), query.has("closed") || null];
    return { entity: this.kind, filter, sort: [this.sort()], includeClosed, limit: PAGE_SIZE, ...more };
  }

  /** Request the fields of the filter language and the remote, once. */
  async learn() {
    // If this fails there are no completions; the list itself reports the error.
    const request = () => get("milestones/git_mile_vocabulary", { entity: this.kind }, this.view);
    return (this.vocabulary ??= request().catch(() => ({ fields: [] })));
  }

  /** Return the fields of the filter language by name. */
  async fields() {
    const { fields } = await this.learn();
    return new Map(fields.map((field) => [field.name, field]));
  }

  /**
   * Change the query and load the list again.
   * @param {Record<string, string | null>} changes
   */
  ask(changes) {
    this.view.setQuery(changes);
    this.header.querySelector("a[target]")?.setAttribute("href", apiUrl(PATH, this.question()));
    this.wanted = PAGE_SIZE;
    return this.refresh();
  }

  /** Load as many lines as the user has asked for, and update those that differ. */
  async refresh() {
    const request = (this.newest = Symbol("request"));
    /** @type {any[]} */
    const items = [];
    try {
      /** @type {Record<string, any>} */
      let page = {};
      do {
        const limit = Math.min(MAX_PAGE_SIZE, this.wanted - items.length);
        page = await get(PATH, this.question({ limit, cursor: page.nextCursor }), this.view);
        items.push(...page.items);
      } while (page.nextCursor && items.length < this.wanted);
      if (this.newest !== request) return;
      this.filter.fail(null);
      this.list.hidden = this.below.hidden = false;
      this.draw(items, Boolean(page.nextCursor));
      const hidesClosed = !this.view.query.has("closed");
      const closedHint = "Closed ones are left out; tick “Closed too” to see them.";
      fill(this.hint, page.hint && (hidesClosed ? closedHint : page.hint));
    } catch (problem) {
      if (this.newest !== request || problem.name === "AbortError") return;
      // The lines of an earlier request are no answer to this one.
      this.list.hidden = true;
      this.below.hidden = problem.data?.column !== undefined;
      if (this.below.hidden) this.filter.fail(problem);
      else this.view.showError(this.below, problem);
    }
  }

  /**
   * @param {any[]} items
   * @param {boolean} isCut whether there are more
   */
  draw(items, isCut) {
    renderKeyed(this.list, items, (item) => listItem(item, this.kind));
    const more = async () => {
      this.wanted = items.length + PAGE_SIZE;
      await this.refresh();
      this.list.children[items.length]?.querySelector("a")?.focus();
    };
    const count = quiet(`${items.length} ${isCut ? "shown" : "in all"}`);
    fill(this.below, items.length ? [isCut && button("More", more), " ", count] : this.nothing());
  }

  nothing() {
    const { kind, view: { query } } = this;
    const clear = () => {
      this.filter.input.value = "";
      this.ask({ filter: null });
    };
    const among = query.has("closed") ? "" : " among those that are open";
    const clearButton = button("Clear the filter", clear);
    if (query.get("filter")) return emptyState(`No ${kind} matches this filter${among}.`, clearButton);
    const command = el("pre", `git mile create ${kind} "What is to be done"`);
    return emptyState(`There is no open ${kind}. ${KINDS[kind].title} are stored in git refs of this repository and ` +
      `are cloned and fetched with it. Create one with New ${kind}, or on the command line:`, command);
  }

  /**
   * Move the focus by lines.
   * @param {number} step
   */
  move(step) {
    const links = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll("a.name")]);
    const at = links.findIndex((link) => link.closest("li")?.contains(document.activeElement));
    links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  }

  /** Ask for a title and a description, create it, and go to its page. */
  async create() {
    const { view, kind } = this;
    const submit = (/** @type {object} */ texts) => post("milestones/git_mile_create", { entity: kind, ...texts });
    const created = await formDialog(view, `New ${kind}`, textFields({}), { verb: `Create ${kind}`, submit });
    if (created) view.go(entityAddress(kind, created.id));
  }

  async offerSync() {
    const { remote } = await this.learn();
    const place = /** @type {HTMLElement | null} */ (this.header.querySelector(".sync-place"));
    if (!remote || !place) return;
    const sync = button(`Sync with ${remote}`, () => this.sync(sync, remote));
    fill(place, sync);
  }

  /**
   * @param {HTMLButtonElement} trigger
   * @param {string} remote
   */
  async sync(trigger, remote) {
    trigger.disabled = true;
    fill(this.notice, el("p.quiet", `Synchronizing with ${remote}…`));
    await this.view.attempt(this.notice, async () => {
      const { received, sent, lost_claims: lost, problems } = await post("milestones/git_mile_sync");
      const summary = received + sent ? `Received ${received} and sent ${sent} changes.` : "Nothing to exchange.";
      const claimed = ({ id, title, holder }) =>
        el("p", "“", el("a", { href: entityAddress("issue", id) }, title), "” is now claimed by ", personName(holder), ".");
      await this.refresh();
      fill(this.notice, el("p", summary), lost.map(claimed), problems.map((text) => el("p.problem", text)));
    });
    trigger.disabled = false;
  }
}
