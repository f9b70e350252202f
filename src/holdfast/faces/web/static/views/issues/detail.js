// An issue or milestone in detail: description, conflicting edits, facts, comments and history.

import { apiUrl, get, post } from "../../api.js";
import { button } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch } from "../../dom.js";
import { form } from "../../forms.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";
import { markdown } from "../../markdown.js";
import { Discussion } from "./discussion.js";
import { drawFacts } from "./facts.js";
import { dueDate, findByIds, kindOf, listItem, issueProgress, statusLabel, textFields } from "./entity.js";

/** @import { View } from "../../view.js" */
/** @import { Item } from "./entity.js" */

/** @typedef {{value: string | null, actor: string | null, ts: string}} Version one of several concurrent values */
/** @typedef {{field: string, value: string | null, others: Version[]}} Conflict the concurrent values of a field */

/** The number of issues of a milestone that are listed; a judgement: more are better read in the list of issues. */
const ISSUES_SHOWN = 100;

/** The names of fields in a sentence. */
const FIELD_NAMES = {
  title: "the title", description: "the description", status: "the status", assignee: "the assignee",
  due: "the due date", milestone: "the milestone",
};

/** The issue or milestone in the URL. */
export class Detail {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.kind = kindOf(view);
    /** @type {Map<string, HTMLElement>} the element of each fact, by name */
    this.factElements = new Map();
    /** @type {Item} */
    this.item = {};
    /** @type {Map<string, Item>} the issues and milestones that the item refers to, by id */
    this.references = new Map();
    /** The data that the heading shows, as JSON. */
    this.headingData = "";
    /** @type {Promise<any>} the fields of the filter language and the name of the user */
    this.vocabulary = Promise.resolve({});
    this.conflicts = el("div.stack");
    this.description = el("section.card", { "aria-label": "Description" });
    this.issues = el("section.stack", { "aria-label": "Issues" });
    this.side = el("aside.card.facts-list", { "aria-label": "Facts" });
    /** The datalists of inputs. */
    this.datalists = el("div");
    this.errorPlace = el("div");
    this.discussion = new Discussion(this);
  }

  async start() {
    const { view } = this;
    this.vocabulary = get("milestones/git_mile_vocabulary", { entity: this.kind }, view);
    this.vocabulary.catch(() => null); // `load` awaits it and reports the error
    view.on("milestones", () => this.refresh());
    await this.load();
    const main = [this.errorPlace, this.conflicts, this.description, this.issues, this.discussion.node];
    view.main.append(el("div.two-columns.one", el("div.stack.whole", main), this.side, this.datalists));
    view.addKey("e", "Edit title and description", () => this.edit());
    view.addKey("c", "Comment", () => this.discussion.input.focus());
    const leave = () => view.go(this.kind === "issue" ? "/issues" : "/issues?kind=milestone");
    view.addKey("Escape", "Back to the list", ({ target }) => {
      const field = /** @type {HTMLElement} */ (target);
      if (field.matches("input, textarea, select")) field.blur();
      else leave();
    });
  }

  /** Reload the item; an error is shown above it. */
  refresh() {
    return this.attempt(() => this.load());
  }

  /**
   * Run a function that may fail, and show its error above the item.
   * @param {() => Promise<any>} work
   */
  attempt(work) {
    return this.view.attempt(this.errorPlace, work);
  }

  /** Request the item. If the URL has no kind, it may be an issue or a milestone. */
  async request() {
    const query = { entity: this.kind, id: this.view.parameters.id };
    try {
      return await get("milestones/git_mile_show", query, this.view);
    } catch (problem) {
      if (problem.kind !== "unknown_entity" || this.view.query.has("kind")) throw problem;
      const milestone = await get("milestones/git_mile_show", { ...query, entity: "milestone" }, this.view);
      this.kind = "milestone";
      return milestone;
    }
  }

  /** Load and draw the item. The server merges concurrent edits, so there are no version conflicts. */
  async load() {
    const item = await this.request();
    this.item = item;
    const contested = item.contested ?? [];
    const conflict = contested.find(({ field }) => field === "milestone");
    const milestones = conflict ? [conflict, ...conflict.others].map(({ value }) => value) : [];
    const ids = [item.milestone, ...(item.dependencies ?? []), ...milestones];
    const [references, vocabulary] = await Promise.all([findByIds(ids, this.view.signal), this.vocabulary]);
    if (this.item !== item) return; // a later call has loaded a newer state and draws it
    this.references = references;
    this.showHeading();
    patch(this.conflicts, item.contested, () => contested.map((contestedField) => this.drawConflict(contestedField)));
    const drawDescription = () => (item.description ? markdown(item.description) : el("p.quiet", "No description."));
    patch(this.description, item.description, drawDescription);
    drawFacts(this, vocabulary);
    await Promise.all([
      this.discussion.draw(item, vocabulary.identity),
      item.entity === "milestone" && this.showIssues(),
    ]);
  }

  showHeading() {
    const { item, view } = this;
    const data = JSON.stringify([item.title, item.status]);
    if (this.headingData === data) return;
    this.headingData = data;
    const author = item.entity === "issue" ? "Issue by " : "Milestone by ";
    view.setHeading(item.title, {
      json: apiUrl("milestones/git_mile_show", { entity: item.entity, id: item.id }),
      tools: [button("Edit", () => this.edit())],
      filters: [statusLabel(item.status), quiet(author, person(item.author), ", ", ago(item.created))],
    });
  }

  /**
   * Run an operation on the item, close the form, and reload the item.
   * @param {string} operation without the prefix "git_mile_"
   * @param {object} body
   * @param {() => void} close
   */
  async write(operation, body, close = () => {}) {
    await post(`milestones/git_mile_${operation}`, { id: this.item.id, ...body });
    close();
    fill(this.errorPlace);
    await this.load();
  }

  /**
   * Run an operation on the item; an error is shown above the item.
   * @param {string} operation without the prefix "git_mile_"
   * @param {object} body
   */
  act(operation, body) {
    return this.attempt(() => this.write(operation, body));
  }

  /**
   * Draw the conflicting values of a field, with a button for each that resolves the conflict.
   * @param {Conflict} conflict
   */
  drawConflict(conflict) {
    const { field } = conflict;
    const choices = [{ value: conflict.value, actor: null, ts: "" }, ...conflict.others];
    const card = (/** @type {Version} */ { value, actor, ts }) => {
      const canUse = field !== "status" || value !== "draft"; // no operation sets the status draft
      return el("div.card.choice",
        el("div.value", this.drawValue(field, value)),
        el("div.quiet", actor ? [person(actor), ", ", ago(ts)] : "current value"),
        canUse && button("Use this one", () => this.resolve(conflict, value)));
    };
    const name = FIELD_NAMES[field] ?? field;
    return el("section.contest", { "aria-label": `Contested: ${name}` },
      el("h2", `Several people set ${name} at the same time`), el("div.choices", choices.map(card)));
  }

  /**
   * @param {string} field
   * @param {string | null} value
   */
  drawValue(field, value) {
    if (value === null || value === "") return quiet("none");
    if (field === "milestone") return this.references.get(value)?.title ?? value;
    if (field === "due") return dueDate(value);
    return field === "status" ? statusLabel(value) : value;
  }

  /**
   * Resolve a conflict by writing one of its values again, which supersedes the others.
   * @param {Conflict} conflict
   * @param {string | null} value
   */
  resolve({ field, value: current, others }, value) {
    // The operation that removes the milestone needs the id of one.
    const anyMilestone = [current, ...others.map((other) => other.value)].find(Boolean);
    /** @type {Record<string, () => [string, object]>} */
    const operations = {
      status: () => [value === "closed" ? "close" : "open", {}],
      assignee: () => ["assign", value ? { assignee: value } : { nobody: true }],
      milestone: () => ["link", value ? { milestone: value } : { milestone: anyMilestone, unlink: true }],
      due: () => ["edit", { due: value ?? "none" }],
    };
    const editField = () => /** @type {[string, object]} */ (["edit", { [field]: value ?? "" }]);
    const [operation, body] = (operations[field] ?? editField)();
    return this.act(operation, body);
  }

  /** Open a form for the title and the description. */
  edit() {
    const open = this.description.querySelector("form");
    if (open) return open.querySelector("input")?.focus();
    const send = (/** @type {object} */ texts) => this.write("edit", texts, () => editForm.remove());
    const cancel = () => {
      editForm.remove();
      this.refresh();
    };
    const editForm = form(textFields(this.item), { verb: "Save", send, cancel });
    this.description.append(editForm);
    editForm.querySelector("input")?.focus();
  }

  /** Show the issues of a milestone. */
  async showIssues() {
    const filter = `milestone = "${this.item.id}"`;
    const query = { entity: "issue", filter, includeClosed: true, sort: ["status"], limit: ISSUES_SHOWN };
    const { items, nextCursor } = await get("milestones/git_mile_overview", query, this.view);
    const open = this.item.stats.open_issues;
    const closed = items.filter((/** @type {Item} */ issue) => issue.status === "closed").length;
    const href = `/issues?filter=${encodeURIComponent(filter)}&closed=1`;
    const label = nextCursor ? `All issues of this milestone, ${open} of them open` : "Show them in the list";
    patch(this.issues, items, () => [
      nextCursor ? null : issueProgress(open, closed),
      el("ul.lines.plain-list.card", items.map((/** @type {Item} */ issue) =>
        el("li", listItem({ ...issue, milestone: null }, "issue")))),
      items.length > 0 && el("a", { href }, label),
    ]);
  }
}
