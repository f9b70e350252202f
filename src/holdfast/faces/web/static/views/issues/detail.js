// The page of an issue or milestone: description, conflicting edits, facts, comments and history.

import { apiUrl, get, post } from "../../api.js";
import { button } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch } from "../../dom.js";
import { form } from "../../forms.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { Discussion } from "./discussion.js";
import { drawFacts } from "./facts.js";
import { dueDate, findByIds, kindOf, listItem, personName, issueProgress, statusLabel, textFields } from "./entity.js";

/** @import { View } from "../../view.js" */
/** @import { Item } from "./entity.js" */

/** @typedef {{value: string | null, actor: string | null, ts: string}} Version one of several conflicting values */

const FIELD_NAMES = {
  title: "the title", description: "the description", status: "the status", assignee: "the assignee",
  due: "the due date", milestone: "the milestone",
};

/** The issue or milestone that the address names. */
export class Detail {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.kind = kindOf(view);
    /** @type {Map<string, HTMLElement>} the element of each fact, by name */
    this.places = new Map();
    /** @type {Item} */
    this.it = {};
    /** @type {Map<string, Item>} the issues and milestones that it refers to, by id */
    this.names = new Map();
    /** What the heading shows, as JSON. */
    this.headed = "";
    /** @type {Promise<any>} the fields of the filter language and who the user is */
    this.vocabulary = Promise.resolve({});
    this.contest = el("div.stack");
    this.text = el("section.card", { "aria-label": "Description" });
    this.members = el("section.stack", { "aria-label": "Issues" });
    this.side = el("aside.card.facts-list", { "aria-label": "Facts" });
    this.lists = el("div");
    this.problem = el("div");
    this.discussion = new Discussion(this);
  }

  async start() {
    const { view } = this;
    this.vocabulary = get("milestones/git_mile_vocabulary", { entity: this.kind }, view);
    this.vocabulary.catch(() => null); // `load` awaits it and reports the error
    view.on("milestones", () => this.refresh());
    await this.load();
    const whole = [this.problem, this.contest, this.text, this.members, this.discussion.node];
    view.main.append(el("div.two-columns.one", el("div.stack.whole", whole), this.side, this.lists));
    view.addKey("e", "Edit title and description", () => this.edit());
    view.addKey("c", "Comment", () => this.discussion.input.focus());
    const leave = () => view.go(this.kind === "issue" ? "/issues" : "/issues?kind=milestone");
    view.addKey("Escape", "Back to the list", ({ target }) => {
      const field = /** @type {HTMLElement} */ (target);
      return field.matches("input, textarea, select") ? field.blur() : leave();
    });
  }

  /** Load it again; an error is shown above it. */
  refresh() {
    return this.try(() => this.load());
  }

  /**
   * Do something whose error is shown above everything.
   * @param {() => Promise<any>} work
   */
  try(work) {
    return this.view.attempt(this.problem, work);
  }

  /** Request it; an address without a kind may mean either. */
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

  /** Load and draw it. Edits by others are merged already, so there are no version conflicts. */
  async load() {
    const it = (this.it = await this.ask());
    const conflict = (it.contested ?? []).find((/** @type {any} */ one) => one.field === "milestone");
    const others = conflict ? [conflict, ...conflict.others].map(({ value }) => value) : [];
    const ids = [it.milestone, ...(it.dependencies ?? []), ...others];
    const [names, known] = await Promise.all([findByIds(ids, this.view.signal), this.vocabulary]);
    if (this.it !== it) return; // a later call has loaded a newer state and draws it
    this.names = names;
    this.heading();
    patch(this.contest, it.contested, () => (it.contested ?? []).map((/** @type {any} */ one) => this.contested(one)));
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
    view.setHeading(it.title, {
      json: apiUrl("milestones/git_mile_show", { entity: it.entity, id: it.id }),
      tools: [button("Edit", () => this.edit())],
      filters: [statusLabel(it.status),
        quiet(it.entity === "issue" ? "Issue by " : "Milestone by ", personName(it.author), ", ", ago(it.created))],
    });
  }

  /**
   * Run an operation on it, close the form, and load it again.
   * @param {string} what the operation, without its prefix
   * @param {object} body
   * @param {() => void} close
   */
  async write(what, body, close = () => {}) {
    await post(`milestones/git_mile_${what}`, { id: this.it.id, ...body });
    close();
    fill(this.problem);
    await this.load();
  }

  /**
   * Run an operation on it; an error is shown above it.
   * @param {string} what
   * @param {object} body
   */
  act(what, body) {
    return this.try(() => this.write(what, body));
  }

  /**
   * Return a choice among the conflicting values of a field.
   * @param {{field: string, value: string | null, others: Version[]}} one
   */
  contested(one) {
    const choices = [{ value: one.value, actor: null, ts: "" }, ...one.others];
    const card = (/** @type {Version} */ { value, actor, ts }) => el("div.card.choice",
      el("div.value", this.valueText(one.field, value)),
      el("div.quiet", actor ? [personName(actor), ", ", ago(ts)] : "current value"),
      one.field === "status" && value === "draft" ? null : button("Use this one", () => this.take(one, value)));
    const name = FIELD_NAMES[one.field] ?? one.field;
    return el("section.contest", { "aria-label": `Contested: ${name}` },
      el("h2", `Several people set ${name} at the same time`), el("div.choices", choices.map(card)));
  }

  /**
   * @param {string} name
   * @param {string | null} value
   */
  valueText(name, value) {
    if (value === null || value === "") return quiet("none");
    if (name === "milestone") return this.names.get(value)?.title ?? value;
    return name === "due" ? dueDate(value) : name === "status" ? statusLabel(value) : value;
  }

  /**
   * Resolve a conflict by writing one of the values again, which supersedes all that are known.
   * @param {{field: string, value: string | null, others: Version[]}} conflict
   * @param {string | null} value
   */
  take({ field: name, value: current, others }, value) {
    const some = [current, ...others.map((other) => other.value)].find(Boolean);
    /** @type {Record<string, () => [string, object]>} */
    const operations = {
      status: () => [value === "closed" ? "close" : "open", {}],
      assignee: () => ["assign", value ? { assignee: value } : { nobody: true }],
      milestone: () => ["link", value ? { milestone: value } : { milestone: some, unlink: true }],
      due: () => ["edit", { due: value ?? "none" }],
    };
    const [what, body] = (operations[name] ?? (() => ["edit", { [name]: value ?? "" }]))();
    return this.act(what, body);
  }

  edit() {
    const open = this.text.querySelector("form");
    if (open) return open.querySelector("input")?.focus();
    const send = (/** @type {object} */ texts) => this.write("edit", texts, () => editForm.remove());
    const cancel = () => (editForm.remove(), this.refresh());
    const editForm = form(textFields(this.it), { verb: "Save", send, cancel });
    this.text.append(editForm);
    editForm.querySelector("input")?.focus();
  }

  /** Show the issues of a milestone. */
  async issues() {
    const filter = `milestone = "${this.it.id}"`;
    const question = { entity: "issue", filter, includeClosed: true, sort: ["status"], limit: 100 };
    const { items, nextCursor } = await get("milestones/git_mile_overview", question, this.view);
    const open = this.it.stats.open_issues;
    const closed = items.filter((/** @type {Item} */ item) => item.status === "closed").length;
    const all = `/issues?filter=${encodeURIComponent(filter)}&closed=1`;
    const label = nextCursor ? `All of its issues, ${open} of them open` : "See them as a list";
    patch(this.members, items, () => [
      nextCursor ? null : issueProgress(open, closed),
      el("ul.lines.plain-list.card", items.map((/** @type {Item} */ item) =>
        el("li", listItem({ ...item, milestone: null }, "issue")))),
      items.length > 0 && el("a", { href: all }, label),
    ]);
  }
}
