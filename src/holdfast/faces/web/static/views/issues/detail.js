// One milestone or issue whole: what it says, what people disagree about, its facts, comments and history.

import { apiUrl, get, post } from "../../api.js";
import { button, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { markdown } from "../../markdown.js";
import { ago } from "../../time.js";
import { Discussion } from "./discussion.js";
import { drawFacts } from "./facts.js";
import { dayInFull, kindOf, line, named, patch, person, progress, state, textForm } from "./parts.js";

const WORDS = { title: "the title", description: "the description", status: "the state", assignee: "who is to do it", due: "the due day", milestone: "the milestone" };

/** Show the milestone or issue that the address names. */
export async function showOne(view) {
  await new Detail(view).begin();
}

class Detail {
  constructor(view) {
    Object.assign(this, { view, kind: kindOf(view), places: new Map() });
    this.contest = el("div", { class: "stack" });
    this.text = el("section", { class: "card", "aria-label": "Description" });
    this.members = el("section", { class: "stack", "aria-label": "Issues" });
    this.side = el("aside", { class: "card facts-list", "aria-label": "Facts" });
    this.lists = el("div", {});
    this.problem = el("div", {});
    this.discussion = new Discussion(this);
  }

  async begin() {
    const { view } = this;
    this.me = get("milestones/git_mile_vocabulary", { entity: this.kind }, { signal: view.signal });
    this.me.catch(() => null); // told where it is awaited
    await this.load();
    view.main.append(el("div", { class: "one" }, el("div", { class: "stack whole" }, this.problem, this.contest, this.text, this.members, this.discussion.node), this.side, this.lists));
    view.key("e", "Edit title and description", () => this.edit());
    view.key("c", "Comment", () => this.discussion.input.focus());
    view.key("Escape", "Back to the list", ({ target }) => (target.matches("input, textarea, select") ? target.blur() : view.go(this.kind === "issue" ? "/issues" : "/issues?kind=milestone")));
    view.on("milestones", () => this.refresh());
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
      return await get("milestones/git_mile_show", question, { signal: this.view.signal });
    } catch (problem) {
      if (problem.kind !== "unknown_entity" || this.view.query.has("kind")) throw problem;
      const found = await get("milestones/git_mile_show", { ...question, entity: "milestone" }, { signal: this.view.signal });
      this.kind = "milestone";
      return found;
    }
  }

  /** Show it as it is now: what others changed is united already, so nothing can be out of date. */
  async load() {
    const it = (this.it = await this.ask());
    const others = [it.milestone, ...(it.dependencies ?? []), ...(it.contested ?? []).filter((one) => one.field === "milestone").flatMap((one) => [one.value, ...one.others.map((other) => other.value)])];
    const [names, known] = await Promise.all([named(others, this.view.signal), this.me]);
    this.names = names;
    this.heading();
    patch(this.contest, it.contested, () => (it.contested ?? []).map((one) => this.contested(one)));
    patch(this.text, it.description, () => (it.description ? markdown(it.description) : el("p", { class: "quiet" }, "No description.")));
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
      filters: [state(it.status), quiet(it.entity === "issue" ? "Issue by " : "Milestone by ", person(it.author), ", ", ago(it.created))],
    });
  }

  /** Write something, close where it was written, then show what it all is now. */
  async write(what, body, close = () => {}) {
    await post(`milestones/git_mile_${what}`, { id: this.it.id, ...body }); // also when the view is left meanwhile
    close();
    fill(this.problem);
    await this.load();
  }

  /** Write something by one click. */
  act(what, body) {
    return this.try(() => this.write(what, body));
  }

  contested(one) {
    const choices = [{ value: one.value, actor: null }, ...one.others];
    const card = ({ value, actor, ts }) => el("div", { class: "card choice" },
      el("div", { class: "value" }, this.spelled(one.field, value)),
      el("div", { class: "quiet" }, actor ? [person(actor), ", ", ago(ts)] : "holds now"),
      one.field === "status" && value === "draft" ? null : button("Take this one", () => this.take(one, value)));
    return el("section", { class: "contest", "aria-label": `Contested: ${WORDS[one.field] ?? one.field}` },
      el("h2", {}, `People set ${WORDS[one.field] ?? one.field} without seeing each other's`), el("div", { class: "choices" }, choices.map(card)));
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
    this.text.querySelector(".editing")?.remove();
    const save = (texts) => this.write("edit", texts, () => form.remove());
    const form = textForm(this.it, "Save", save, () => (form.remove(), this.refresh()));
    this.text.append(form);
    form.querySelector("input").focus();
  }

  /** List the issues of a milestone. */
  async issues() {
    const question = { entity: "issue", filter: `milestone = "${this.it.id}"`, includeClosed: true, sort: ["status"], limit: 100 };
    const { items, nextCursor } = await get("milestones/git_mile_overview", question, { signal: this.view.signal });
    const open = this.it.stats.open_issues;
    const closed = items.filter((item) => item.status === "closed").length;
    const all = `/issues?filter=${encodeURIComponent(question.filter)}&closed=1`;
    patch(this.members, items, () => [
      nextCursor ? null : progress(open, closed),
      el("ul", { class: "lines" }, items.map((item) => el("li", {}, line({ ...item, milestone: null }, "issue")))),
      el("a", { href: all }, nextCursor ? `All of its issues, ${open} of them open` : items.length ? "See them as a list" : null),
    ]);
  }
}
