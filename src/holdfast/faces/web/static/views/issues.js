// Issues and milestones: a list in the filter language, a page at a time, and one of them whole.

import { apiUrl, get, post } from "../api.js";
import { asked, button, choice, el, empty, fill, keyed, primary, quiet } from "../dom.js";
import { filterLine } from "./issues/filter.js";
import { kindOf, line, person, place, textFields } from "./issues/parts.js";

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
const PAGE = 50;
const LARGEST = 500;

export async function show(view) {
  const Shown = view.parameters.id ? (await import("./issues/detail.js")).Detail : List;
  await new Shown(view).begin();
}

class List {
  constructor(view) {
    Object.assign(this, { view, kind: kindOf(view), wanted: PAGE });
    this.list = el("ul.lines.plain-list.card");
    this.below = el("div.below");
    this.hint = el("p.quiet");
    this.notice = el("div.notice", { role: "status" });
  }

  async begin() {
    const { view } = this;
    const { title, example } = KINDS[this.kind];
    const options = { example, apply: (text) => this.ask({ filter: text }), learn: () => this.learn() };
    this.filter = filterLine(view.query.get("filter") ?? "", options);
    this.header = view.heading(title, {
      json: apiUrl(PATH, this.question()),
      tools: [el("span.sync-place"), primary(`New ${this.kind}`, () => this.create())],
      filters: this.controls(),
    });
    view.main.append(this.notice, this.hint, this.list, this.below);
    view.key("n", `New ${this.kind}`, () => this.create());
    view.key("j", "Next line", () => this.move(1));
    view.key("k", "Line before", () => this.move(-1));
    view.key("f", "Filter", () => this.filter.input.focus());
    view.on("milestones", () => this.refresh());
    await this.refresh();
    this.offerSync();
  }

  controls() {
    const tabs = Object.entries(KINDS).map(([kind, { title, address }]) =>
      el("a.button", { href: address, "aria-current": kind === this.kind ? "page" : null }, title));
    const { sorts } = KINDS[this.kind];
    const order = (key) => this.ask({ sort: key === sorts[0] ? null : key });
    const change = ({ target }) => this.ask({ closed: target.checked ? "1" : null });
    const closed = el("input", { type: "checkbox", checked: this.view.query.has("closed"), on: { change } });
    const orders = choice("Order", sorts.map((key) => [key, SORTS[key]]), this.sort(), order);
    return [el("nav.tabs.row", { "aria-label": "Kind" }, tabs), this.filter.node, orders,
      el("label.row", closed, "Closed too")];
  }

  sort() {
    return this.view.query.get("sort") ?? KINDS[this.kind].sorts[0];
  }

  question(more = {}) {
    const { query } = this.view;
    const [filter, includeClosed] = [query.get("filter"), query.has("closed") || null];
    return { entity: this.kind, filter, sort: [this.sort()], includeClosed, limit: PAGE, ...more };
  }

  async learn() {
    // Without it nothing is completed; the list itself says what is wrong.
    const ask = () => get("milestones/git_mile_vocabulary", { entity: this.kind }, this.view);
    this.known ??= ask().catch(() => ({ fields: [] }));
    const { fields } = await this.known;
    return new Map(fields.map((field) => [field.name, field]));
  }

  ask(changes) {
    this.view.setQuery(changes);
    this.header.querySelector("a[target]").href = apiUrl(PATH, this.question());
    this.wanted = PAGE;
    return this.refresh();
  }

  /** Ask for as many lines as are wanted, and change those that differ. */
  async refresh() {
    const question = (this.newest = Symbol("the newest question"));
    const items = [];
    try {
      let page = {};
      do {
        const limit = Math.min(LARGEST, this.wanted - items.length);
        page = await get(PATH, this.question({ limit, cursor: page.nextCursor }), this.view);
        items.push(...page.items);
      } while (page.nextCursor && items.length < this.wanted);
      if (this.newest !== question) return;
      this.filter.fail(null);
      this.list.hidden = this.below.hidden = false;
      this.draw(items, Boolean(page.nextCursor));
      fill(this.hint, page.hint?.replace("pass includeClosed: true", "tick “Closed too”"));
    } catch (problem) {
      if (this.newest !== question || problem.name === "AbortError") return;
      // Lines of an earlier question are no answer to this one.
      this.list.hidden = true;
      this.below.hidden = problem.data?.column !== undefined;
      if (this.below.hidden) this.filter.fail(problem);
      else this.view.fail(this.below, problem);
    }
  }

  draw(items, isCut) {
    keyed(this.list, items, (item) => line(item, this.kind));
    const more = async () => {
      this.wanted = items.length + PAGE;
      await this.refresh();
      this.list.children[items.length]?.querySelector("a").focus();
    };
    const words = quiet(`${items.length} ${isCut ? "shown" : "in all"}`);
    fill(this.below, items.length ? [isCut && button("More", more), " ", words] : this.nothing());
  }

  nothing() {
    const { kind, view: { query } } = this;
    const clear = () => {
      this.filter.input.value = "";
      this.ask({ filter: null });
    };
    const among = query.has("closed") ? "" : " among those that are open";
    if (query.get("filter")) return empty(`No ${kind} fits this filter${among}.`, button("Clear the filter", clear));
    const command = el("pre", `git mile create ${kind} "What is to be done"`);
    return empty(`No open ${kind} is here. ${KINDS[kind].title} live in this repository's own git refs and travel ` +
      `with it. Make one with New ${kind}, or on the command line:`, command);
  }

  move(step) {
    const links = [...this.list.querySelectorAll("a.name")];
    const at = links.findIndex((link) => link.closest("li").contains(document.activeElement));
    links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  }

  /** Ask for what is new, write it down, and go there; what else it has is set there. */
  async create() {
    const { view, kind } = this;
    const submit = (texts) => post("milestones/git_mile_create", { entity: kind, ...texts });
    const made = await asked(view, `New ${kind}`, textFields(), { verb: `Create ${kind}`, submit });
    if (made) view.go(place(kind, made.id));
  }

  async offerSync() {
    await this.learn();
    const { remote } = await this.known;
    const meet = button(`Sync with ${remote}`, () => this.sync(meet, remote));
    if (remote) fill(this.header.querySelector(".sync-place"), meet);
  }

  async sync(meet, remote) {
    meet.disabled = true;
    fill(this.notice, el("p.quiet", `Meeting ${remote}…`));
    await this.view.attempt(this.notice, async () => {
      const { received, sent, lost_claims: lost, problems } = await post("milestones/git_mile_sync");
      const words = received + sent ? `Received ${received} and sent ${sent} changes.` : "Both had everything already.";
      const claimed = ({ id, title, holder }) =>
        el("p", "“", el("a", { href: place("issue", id) }, title), "” is claimed by ", person(holder), " now.");
      await this.refresh();
      fill(this.notice, el("p", words), lost.map(claimed), problems.map((text) => el("p.problem", text)));
    });
    meet.disabled = false;
  }
}
