// One milestone or issue whole: what it says, what people disagree about, its facts, comments and history.

import { apiUrl, get, post } from "../../api.js";
import { ago, button, el, fill, form, patch, quiet } from "../../dom.js";
import { markdown } from "../../markdown.js";
import { Discussion } from "./discussion.js";
import { drawFacts } from "./facts.js";
import { dayInFull, kindOf, line, named, person, progress, state, textFields } from "./parts.js";

const WORDS = {
  title: "the title", description: "the description", status: "the state", assignee: "who is to do it",
  due: "the due day", milestone: "the milestone",
};

/** The milestone or issue that the address names. */
export class Detail {
  constructor(view) {
    Object.assign(this, { view, kind: kindOf(view), places: new Map() });
    this.contest = el("div.stack");
    this.text = el("section.card", { "aria-label": "Description" });
    this.members = el("section.stack", { "aria-label": "Issues" });
    this.side = el("aside.card.facts-list", { "aria-label": "Facts" });
    this.lists = el("div");
    this.problem = el("div");
    this.discussion = new Discussion(this);
  }

  async begin() {
    const { view } = this;
    this.me = get("milestones/git_mile_vocabulary", { entity: this.kind }, view);
    this.me.catch(() => null); // told where it is awaited
    view.on("milestones", () => this.refresh());
    await this.load();
    const whole = [this.problem, this.contest, this.text, this.members, this.discussion.node];
    view.main.append(el("div.two-columns.one", el("div.stack.whole", whole), this.side, this.lists));
    view.key("e", "Edit title and description", () => this.edit());
    view.key("c", "Comment", () => this.discussion.input.focus());
    const leave = () => view.go(this.kind === "issue" ? "/issues" : "/issues?kind=milestone");
    view.key("Escape", "Back to the list", ({ target }) =>
      (target.matches("input, textarea, select") ? target.blur() : leave()));
  }

  /** Show it anew; what goes wrong stands above it. */
  refresh() {
    return this.try(() => this.load());
  }

  /** Do something whose failure has no better place than above everything. */
  try(work) {
    return this.view.attempt(this.problem, work);
  }

  /** Ask for it; an address without its kind means either. */
  async ask() {
    const question = { entity: this.kind, id: this.view.parameters.id };
    try {
      return await get("milestones/git_mile_show", question, this.view);
    } catch (problem) {
      if (problem.kind !== "unknown_entity" || this.view.query.has("kind")) throw problem;
      const found = await get("milestones/git_mile_show", { ...question, entity: "milestone" }, this.view);
      this.kind = "milestone";
      return found;
    }
  }

  /** Show it as it is now: what others changed is united already, so nothing can be out of date. */
  async load() {
    const it = (this.it = await this.ask());
    const wished = (it.contested ?? []).find((one) => one.field === "milestone");
    const others = wished ? [wished, ...wished.others].map(({ value }) => value) : [];
    const ids = [it.milestone, ...(it.dependencies ?? []), ...others];
    const [names, known] = await Promise.all([named(ids, this.view.signal), this.me]);
    if (this.it !== it) return; // it is another by now, and somebody else draws that
    this.names = names;
    this.heading();
    patch(this.contest, it.contested, () => (it.contested ?? []).map((one) => this.contested(one)));
    const description = () => (it.description ? markdown(it.description) : el("p.quiet", "No description."));
    patch(this.text, it.description, description);
    drawFacts(this, known);
    await Promise.all([this.discussion.draw(it, known.identity), it.entity === "milestone" && this.issues()]);
  }

  heading() {
    const { it, view } = this;
    const shown = JSON.stringify([it.title, it.status]);
    if (this.headed === shown) return;
    this.headed = shown;
    view.heading(it.title, {
      json: apiUrl("milestones/git_mile_show", { entity: it.entity, id: it.id }),
      tools: [button("Edit", () => this.edit())],
      filters: [state(it.status),
        quiet(it.entity === "issue" ? "Issue by " : "Milestone by ", person(it.author), ", ", ago(it.created))],
    });
  }

  /** Write something, close where it was written, then show what it all is now. */
  async write(what, body, close = () => {}) {
    await post(`milestones/git_mile_${what}`, { id: this.it.id, ...body }); // also when the view is left meanwhile
    close();
    fill(this.problem);
    await this.load();
  }

  act(what, body) {
    return this.try(() => this.write(what, body));
  }

  contested(one) {
    const choices = [{ value: one.value, actor: null }, ...one.others];
    const card = ({ value, actor, ts }) => el("div.card.choice",
      el("div.value", this.spelled(one.field, value)),
      el("div.quiet", actor ? [person(actor), ", ", ago(ts)] : "holds now"),
      one.field === "status" && value === "draft" ? null : button("Take this one", () => this.take(one, value)));
    const name = WORDS[one.field] ?? one.field;
    return el("section.contest", { "aria-label": `Contested: ${name}` },
      el("h2", `People set ${name} without seeing each other's`), el("div.choices", choices.map(card)));
  }

  spelled(name, value) {
    if (value === null || value === "") return quiet("none");
    if (name === "milestone") return this.names.get(value)?.title ?? value;
    return name === "due" ? dayInFull(value) : name === "status" ? state(value) : value;
  }

  /** Settle a contested field by writing the value anew over all that are known. */
  take({ field: name, value: current, others }, value) {
    const some = [current, ...others.map((other) => other.value)].find(Boolean);
    const ways = {
      status: () => [value === "closed" ? "close" : "open", {}],
      assignee: () => ["assign", value ? { assignee: value } : { nobody: true }],
      milestone: () => ["link", value ? { milestone: value } : { milestone: some, unlink: true }],
      due: () => ["edit", { due: value ?? "none" }],
    };
    const [what, body] = (ways[name] ?? (() => ["edit", { [name]: value ?? "" }]))();
    return this.act(what, body);
  }

  edit() {
    const open = this.text.querySelector("form input");
    if (open) return open.focus();
    const send = (texts) => this.write("edit", texts, () => edited.remove());
    const cancel = () => (edited.remove(), this.refresh());
    const edited = form(textFields(this.it), { verb: "Save", send, cancel });
    this.text.append(edited);
    edited.querySelector("input").focus();
  }

  async issues() {
    const filter = `milestone = "${this.it.id}"`;
    const question = { entity: "issue", filter, includeClosed: true, sort: ["status"], limit: 100 };
    const { items, nextCursor } = await get("milestones/git_mile_overview", question, this.view);
    const open = this.it.stats.open_issues;
    const closed = items.filter((item) => item.status === "closed").length;
    const all = `/issues?filter=${encodeURIComponent(filter)}&closed=1`;
    const words = nextCursor ? `All of its issues, ${open} of them open` : "See them as a list";
    patch(this.members, items, () => [
      nextCursor ? null : progress(open, closed),
      el("ul.lines.plain-list.card", items.map((item) => el("li", line({ ...item, milestone: null }, "issue")))),
      items.length > 0 && el("a", { href: all }, words),
    ]);
  }
}
