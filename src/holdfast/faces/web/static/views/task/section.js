// A section of the Task view: redrawn only when its data changes, and never while the user types in it.

import { choice, plainButton } from "../../controls.js";
import { el, fill, findControl, invalidate, patch } from "../../dom.js";
import { field, form } from "../../forms.js";
import { icon } from "../../icons.js";

/** @import { TaskEditor } from "../task.js" */

/** The fields of a task whose concurrent changes are reported, with their names. */
const FIELD_NAMES = {
  title: "Title", description: "Description", status: "Status", priority: "Priority", claimed_by: "Holder",
  labels: "Labels", milestone: "Milestone", criteria: "Criteria", evidence: "Evidence", depends_on: "Waits for",
  connected_files: "Files", links: "Links", attachments: "Attachments", notes: "Notes", plan: "Plan",
};
/** A judgement: about three lines, enough to recognise a changed value. */
const MAX_VALUE_CHARACTERS = 300;

/**
 * The title of a section, a function that selects the data that it shows, and one that draws the data.
 * @typedef {object} SectionDefinition
 * @property {string} title
 * @property {(editor: TaskEditor) => any} select
 * @property {(editor: TaskEditor, section: Section) => any} draw
 */

/**
 * A form that changes the task.
 * @typedef {object} SectionForm
 * @property {Record<string, any>[]} fields see `createField`
 * @property {string} [save] the text of the submit button
 * @property {(values: Record<string, string>) => object} change returns the change for the values of the fields
 * @property {string} [operation]
 * @property {string} [focusAfter] the name of the control that gets the focus when the form closes
 */

/** A titled section. */
export class Section {
  /**
   * @param {TaskEditor} editor
   * @param {SectionDefinition} definition
   */
  constructor(editor, { title, select, draw }) {
    this.editor = editor;
    this.select = select;
    this.draw = draw;
    this.body = el("div.stack");
    this.notice = el("div.notice");
    const heading = title !== "Description" && el("h2", title); // the description follows the title of the task
    const properties = { "aria-label": title, dataset: { section: title } };
    this.node = el("section.task-section", properties, heading, this.body, this.notice);
  }

  /** Draw the section if its data has changed. */
  refresh(isRemote = false) {
    patch(this.body, this.select(this.editor), () => this.draw(this.editor, this), isRemote);
    this.node.hidden = !this.body.hasChildNodes();
  }

  /** Draw the section even if its data is unchanged. */
  redraw() {
    invalidate(this.body);
    this.refresh();
  }

  /**
   * Show a notice below the section; without arguments, remove it.
   * @param {...any} children
   */
  notify(...children) {
    fill(this.notice, children);
  }

  /** @param {any} problem */
  showError(problem) {
    this.editor.view.showError(this.notice, problem);
  }

  /**
   * @param {string} name
   * @param {object} removal the argument `remove` of the operation
   */
  removeButton(name, removal) {
    const remove = () => this.editor.act(this, { remove: removal });
    return plainButton(icon("close"), remove, { "aria-label": `Remove ${name}` });
  }

  /**
   * Return a button that opens a form above it. When the form closes, the button gets the focus again.
   * @param {string} text
   * @param {SectionForm} options
   * @param {string} label
   */
  formButton(text, options, label = text) {
    const place = el("div");
    const open = () => this.openForm(place, { focusAfter: label, ...options });
    return el("div", place, plainButton(text, open, { "aria-label": label }));
  }

  /**
   * Open a form. If somebody else changes the task before it is saved, the form reports that and keeps its content.
   * @param {HTMLElement} place
   * @param {SectionForm} options
   */
  openForm(place, { fields, save = "Save", change, operation, focusAfter = "" }) {
    let seenTask = this.editor.task;
    const close = () => {
      node.remove();
      this.notify();
      this.redraw();
      findControl(this.body, "button, input, select", focusAfter)?.focus();
    };
    const send = async (/** @type {Record<string, string>} */ values) => {
      const trimmed = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()]));
      try {
        await this.editor.write(change(trimmed), seenTask.version, operation);
        close();
      } catch (problem) {
        if (problem.kind !== "out_of_date") throw problem;
        await this.editor.refresh();
        const { task } = this.editor;
        this.notify(changesSince(seenTask, task, "Your text is still here: save it again, or cancel."));
        seenTask = task;
      }
    };
    const node = form(fields.map(createField), { class: "stack card", verb: save, send, cancel: close });
    this.node.hidden = false;
    fill(place, node);
    /** @type {HTMLElement | null} */ (node.querySelector("input, textarea, select"))?.focus();
  }
}

/**
 * Return a labelled control: a select if there are `options`, else an element of a kind; the rest are its properties.
 * @param {Record<string, any>} definition
 */
function createField({ label, kind = "input", options, change, ...properties }) {
  const control = options
    ? choice(label, options, options[0], change, properties)
    : el(kind, { "aria-label": label, ...properties });
  return field(label, control);
}

/**
 * Describe how a task has changed since the user saw it, and what to do.
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @param {string} advice
 */
export function changesSince(before, after, advice) {
  const names = Object.keys(FIELD_NAMES);
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const lines = changed.map((name) => el("li", `${FIELD_NAMES[name]} is now ${describeValue(after[name])}`));
  return el("div.problem", { role: "alert" }, el("strong", "Somebody else has changed this task."), el("ul", lines),
    el("p", advice));
}

/**
 * Return the value of a field as text: “☑ first criterion, ☐ second criterion”.
 * @param {any} value
 */
function describeValue(value) {
  if (value === undefined || value === null || value === "") return "empty";
  const items = [value].flat().map((item) => checkMark(item) + itemName(item));
  return `“${items.join(", ").slice(0, MAX_VALUE_CHARACTERS)}”`;
}

/** @param {{checked?: boolean}} item a criterion, or an item that cannot be checked */
function checkMark({ checked }) {
  if (checked === undefined) return "";
  return checked ? "☑ " : "☐ ";
}

const itemName = (item) => item.text ?? item.path ?? item.name ?? item.ref ?? item.id ?? item;
