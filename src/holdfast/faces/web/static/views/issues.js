// Issues and milestones: a list in the filter language, a page at a time, and one of them whole.

import { apiUrl, get, post } from "../api.js";
import { button, choice, quiet } from "../controls.js";
import { el, fill } from "../dom.js";
import { dialog } from "../keys.js";
import { empty } from "../view.js";
import { filterLine } from "./issues/filter.js";
import { kindOf, line, patch, person, place, textForm } from "./issues/parts.js";

const SORTS = { issue: ["updated:desc", "created:desc", "due", "title", "comments:desc"], milestone: ["due", "updated:desc", "created:desc", "title", "open_issues:desc"] };
const NAMES = { "updated:desc": "Latest change", "created:desc": "Newest", due: "Due first", title: "Title", "comments:desc": "Most comments", "open_issues:desc": "Most open issues" };
const PAGE = 50;
const LARGEST = 500;

export async function show(view) {
  if (view.parameters.id) return (await import("./issues/detail.js")).showOne(view);
  await new List(view).begin();
}

class List {
  constructor(view) {
    Object.assign(this, { view, kind: kindOf(view), rows: new Map() });
    this.list = el("ul", { class: "lines" });
    this.below = el("div", { class: "below" });
    this.hint = el("p", { class: "quiet" });
    this.notice = el("div", { class: "notice", role: "status" });
  }

  async begin() {
    const { view } = this;
    this.filter = filterLine(view.query.get("filter") ?? "", { example: this.kind === "issue" ? "status == open and label in [bug]" : "due < 2026-12-31 and open_issues > 0", apply: (text) => this.ask({ filter: text }), learn: () => this.learn() });
    this.header = view.heading(this.kind === "issue" ? "Issues" : "Milestones", {
      json: apiUrl("milestones/git_mile_overview", this.question()),
      tools: [el("span", { class: "sync-place" }), button(`New ${this.kind}`, () => this.create(), { class: "button primary" })],
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
    const tab = (kind, name) => el("a", { class: "button", href: kind === "issue" ? "/issues" : "/issues?kind=milestone", "aria-current": kind === this.kind ? "page" : null }, name);
    const [usual] = SORTS[this.kind];
    const sort = choice("Order", SORTS[this.kind].map((key) => [key, NAMES[key]]), this.sort(), (key) => this.ask({ sort: key === usual ? null : key }));
    const closed = el("input", { type: "checkbox", checked: this.view.query.has("closed"), on: { change: (event) => this.ask({ closed: event.target.checked ? "1" : null }) } });
    return [el("nav", { class: "tabs row", "aria-label": "Kind" }, tab("issue", "Issues"), tab("milestone", "Milestones")), this.filter.node, sort, el("label", { class: "row" }, closed, "Closed too")];
  }

  sort() {
    return this.view.query.get("sort") ?? SORTS[this.kind][0];
  }

  question(more = {}) {
    const { query } = this.view;
    return { entity: this.kind, filter: query.get("filter"), sort: [this.sort()], includeClosed: query.has("closed") ? true : null, limit: PAGE, ...more };
  }

  async learn() {
    // Without it nothing is completed; the list itself says what is wrong.
    this.known ??= get("milestones/git_mile_vocabulary", { entity: this.kind }, { signal: this.view.signal }).catch(() => ({ fields: [] }));
    const { fields } = await this.known;
    return new Map(fields.map((field) => [field.name, field]));
  }

  ask(changes) {
    this.view.setQuery(changes);
    const link = this.header.querySelector("a[target]");
    link.setAttribute("href", apiUrl("milestones/git_mile_overview", this.question()));
    return this.refresh();
  }

  /** Ask for as many lines as are shown, and change those that differ. */
  refresh() {
    return this.load({ limit: Math.min(LARGEST, Math.max(PAGE, this.rows.size)) }, (items) => this.draw(items));
  }

  async load(more, draw) {
    const asked = (this.asked = Symbol("the newest question"));
    try {
      const page = await get("milestones/git_mile_overview", this.question(more), { signal: this.view.signal });
      if (this.asked !== asked) return;
      this.filter.fail(null);
      this.list.hidden = this.below.hidden = false;
      this.cursor = page.nextCursor;
      draw(page.items);
      fill(this.hint, page.hint?.replace("pass includeClosed: true", "tick “Closed too”"));
    } catch (problem) {
      if (this.asked !== asked || problem.name === "AbortError") return;
      // Lines of an earlier question are no answer to this one.
      this.list.hidden = true;
      this.below.hidden = problem.data?.column !== undefined;
      if (this.below.hidden) this.filter.fail(problem);
      else this.view.fail(this.below, problem);
    }
  }

  draw(items) {
    const before = this.rows;
    this.items = items;
    this.rows = new Map(items.map((item) => [item.id, before.get(item.id) ?? el("li", {})]));
    for (const item of items) patch(this.rows.get(item.id), item, () => line(item, this.kind));
    const focused = document.activeElement;
    const nodes = [...this.rows.values()];
    if (nodes.length !== this.list.children.length || nodes.some((node, place) => node !== this.list.children[place])) {
      this.list.replaceChildren(...nodes);
      if (this.list.contains(focused)) focused.focus();
    }
    this.footer();
  }

  footer() {
    const count = this.rows.size;
    const { query } = this.view;
    if (!count && query.get("filter")) {
      const clear = () => { this.filter.input.value = ""; this.ask({ filter: null }); };
      fill(this.below, empty(`No ${this.kind} fits this filter${query.has("closed") ? "" : " among those that are open"}.`, button("Clear the filter", clear)));
    } else if (!count) {
      fill(this.below, empty(`No open ${this.kind} is here. ${this.kind === "issue" ? "Issues" : "Milestones"} live in this repository's own git refs and travel with it. Make one with New ${this.kind}, or on the command line:`,
        el("pre", {}, `git mile create ${this.kind} "What is to be done"`)));
    } else {
      fill(this.below, this.cursor && button("More", () => this.more()), quiet(this.cursor ? ` ${count} shown` : ` ${count} in all`));
    }
  }

  async more() {
    const before = this.items.length;
    await this.load({ cursor: this.cursor }, (items) => this.draw([...this.items, ...items]));
    this.list.children[before]?.querySelector("a").focus();
  }

  move(step) {
    const links = [...this.list.querySelectorAll("a.name")];
    const at = links.findIndex((link) => link.closest("li").contains(document.activeElement));
    links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  }

  /** Ask for what is new, write it down, and go there; what else it has is set there. */
  create() {
    const { view, kind } = this;
    const send = async (texts) => {
      const { id } = await post("milestones/git_mile_create", { entity: kind, ...texts });
      box.close();
      view.go(place(kind, id));
    };
    const box = dialog(`New ${kind}`, textForm({}, `Create ${kind}`, send));
    box.querySelector("form input").focus();
  }

  async offerSync() {
    await this.learn();
    const { remote } = await this.known;
    if (!remote) return;
    const meet = button(`Sync with ${remote}`, () => this.sync(meet, remote));
    fill(this.header.querySelector(".sync-place"), meet);
  }

  async sync(meet, remote) {
    meet.disabled = true;
    fill(this.notice, el("p", { class: "quiet" }, `Meeting ${remote}…`));
    await this.view.attempt(this.notice, async () => {
      const done = await post("milestones/git_mile_sync");
      const words = done.received + done.sent ? `Received ${done.received} and sent ${done.sent} changes.` : "Both had everything already.";
      const lost = done.lost_claims.map((claim) => el("p", {}, "“", el("a", { href: place("issue", claim.id) }, claim.title), "” is claimed by ", person(claim.holder), " now."));
      await this.refresh();
      fill(this.notice, el("p", {}, words), lost, done.problems.map((text) => el("p", { class: "problem" }, text)));
    });
    meet.disabled = false;
  }
}
