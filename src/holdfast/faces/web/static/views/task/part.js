// A part of the Task view: drawn again only when its data differs, never while the user types in it.

import { choice, plainButton } from "../../controls.js";
import { el, fill, findControl, invalidate, patch } from "../../dom.js";
import { field, form } from "../../forms.js";

/** @import { Desk } from "../task.js" */

/** The fields whose changes are reported. */
const NAMES = {
  title: "Title", description: "Description", status: "Status", priority: "Priority", claimed_by: "Holder",
  labels: "Labels", milestone: "Milestone", criteria: "Criteria", evidence: "Evidence", depends_on: "Waits for",
  connected_files: "Files", links: "Links", attachments: "Attachments", notes: "Notes", plan: "Plan",
};

/**
 * The title of a part, the data that it shows, and how it is drawn.
 * @typedef {[title: string, slice: (desk: Desk) => any, draw: (desk: Desk, part: Part) => any]} PartDefinition
 */

/**
 * A form in a part.
 * @typedef {object} PartForm
 * @property {Record<string, any>[]} fields see `labelled`
 * @property {string} [save] the text of its button
 * @property {(values: Record<string, string>) => object} change
 * @property {string} [operation]
 * @property {string} [back] the name of the control that gets the focus afterwards
 */

/** A titled section. */
export class Part {
  /**
   * @param {Desk} desk
   * @param {string} title
   * @param {(desk: Desk) => any} slice
   * @param {(desk: Desk, part: Part) => any} draw
   */
  constructor(desk, title, slice, draw) {
    this.desk = desk;
    this.slice = slice;
    this.draw = draw;
    this.body = el("div.stack");
    this.notice = el("div.notice");
    const heading = title !== "Description" && el("h2", title); // it follows the title of the task
    this.node = el("section.part", { "aria-label": title, dataset: { part: title } }, heading, this.body, this.notice);
  }

  refresh(isRemote = false) {
    patch(this.body, this.slice(this.desk), () => this.draw(this.desk, this), isRemote);
    this.node.hidden = !this.body.hasChildNodes();
  }

  redraw() {
    invalidate(this.body);
    this.refresh();
  }

  /**
   * Show a notice, or none.
   * @param {...any} children
   */
  notify(...children) {
    fill(this.notice, children);
  }

  /** @param {any} problem */
  fail(problem) {
    this.desk.view.showError(this.notice, problem);
  }

  /**
   * Return a button that removes something.
   * @param {string} name
   * @param {object} change
   */
  removeButton(name, change) {
    return plainButton("✕", () => this.desk.act(this, { remove: change }), { "aria-label": `Remove ${name}` });
  }

  /**
   * Return a button that opens a form above it and gets the focus back afterwards.
   * @param {string} text
   * @param {PartForm} wanted
   * @param {string} label
   */
  formButton(text, wanted, label = text) {
    const place = el("div");
    const open = () => this.openForm(place, { back: label, ...wanted });
    return el("div", place, plainButton(text, open, { "aria-label": label }));
  }

  /**
   * Open a form. If somebody else changes the task meanwhile, that is shown, and what was typed is kept.
   * @param {HTMLElement} place
   * @param {PartForm} options
   */
  openForm(place, { fields, save = "Save", change, operation, back }) {
    let seen = this.desk.task;
    const close = () => {
      node.remove();
      this.notify();
      this.redraw();
      findControl(this.body, "button, input, select", back ?? "")?.focus();
    };
    const send = async (/** @type {Record<string, string>} */ values) => {
      const trimmed = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()]));
      try {
        await this.desk.write(change(trimmed), seen.version, operation);
        close();
      } catch (problem) {
        if (problem.kind !== "out_of_date") throw problem;
        await this.desk.refresh();
        this.notify(changesSince(seen, this.desk.task, "What you typed is still here: save it again, or cancel."));
        seen = this.desk.task;
      }
    };
    const node = form(fields.map(labelled), { class: "stack card", verb: save, send, cancel: close });
    this.node.hidden = false;
    fill(place, node);
    /** @type {HTMLElement | null} */ (node.querySelector("input, textarea, select"))?.focus();
  }
}

/**
 * Return a field: a select if there are `options`, else an element of the kind; further properties are its own.
 * @param {Record<string, any>} field
 */
const labelled = ({ label, kind = "input", options, change, ...more }) =>
  field(label, options ? choice(label, options, options[0], change, more) : el(kind, { "aria-label": label, ...more }));

/**
 * Describe how a task has changed since the user saw it, with advice.
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @param {string} advice
 */
export function changesSince(before, after, advice) {
  const changed = Object.keys(NAMES).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return el("div.problem", { role: "alert" }, el("strong", "Somebody changed this task meanwhile."),
    el("ul", changed.map((name) => el("li", `${NAMES[name]} is now ${shown(after[name])}`))), el("p", advice));
}

/** @param {any} value */
function shown(value) {
  if (value === undefined || value === null || value === "") return "empty";
  const mark = ({ checked }) => (checked === undefined ? "" : checked ? "☑ " : "☐ ");
  const name = (item) => item.text ?? item.path ?? item.name ?? item.ref ?? item.id ?? item;
  const items = [value].flat().map((item) => mark(item) + name(item));
  return `“${items.join(", ").slice(0, 300)}”`;
}
