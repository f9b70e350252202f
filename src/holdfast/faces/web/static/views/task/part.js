// A part of a task's page: drawn again only when what it shows differs, never while somebody types in it.

import { choice, el, field, fill, form, named, patch, plain } from "../../dom.js";

const NAMES = {
  title: "Title", description: "Description", status: "Status", priority: "Priority", claimed_by: "Holder",
  labels: "Labels", milestone: "Milestone", criteria: "Criteria", evidence: "Evidence", depends_on: "Waits for",
  connected_files: "Files", links: "Links", attachments: "Attachments", notes: "Notes", plan: "Plan",
};

/** One titled section; `slice` is what it shows, `draw` makes its content. */
export class Part {
  constructor(desk, title, slice, draw) {
    Object.assign(this, { desk, slice, draw });
    this.body = el("div.stack");
    this.notice = el("div.notice");
    const heading = title !== "Description" && el("h2", title); // which stands below the title of the task
    this.node = el("section.part", { "aria-label": title, dataset: { part: title } }, heading, this.body, this.notice);
  }

  refresh(elsewhere = false) {
    patch(this.body, this.slice(this.desk), () => this.draw(this.desk, this), elsewhere);
    this.node.hidden = !this.body.hasChildNodes();
  }

  redraw() {
    this.body.shows = null;
    this.refresh();
  }

  say(...children) {
    fill(this.notice, children);
  }

  fail(problem) {
    this.desk.view.fail(this.notice, problem);
  }

  remover(name, change) {
    return plain("✕", () => this.desk.act(this, { remove: change }), { "aria-label": `Remove ${name}` });
  }

  /** Return a button that opens a form above it, and gets the focus back. */
  ask(text, wanted, label = text) {
    const place = el("div");
    const open = () => this.form(place, { back: label, ...wanted });
    return el("div", place, plain(text, open, { "aria-label": label }));
  }

  /** Let somebody type in this part. A change from elsewhere is told, and what was typed stays. */
  form(place, { fields, save = "Save", change, operation, back }) {
    let seen = this.desk.task;
    const close = () => {
      node.remove();
      this.say();
      this.redraw();
      named(this.body, "button, input, select", back)?.focus();
    };
    const send = async (values) => {
      const trimmed = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()]));
      try {
        await this.desk.write(change(trimmed), seen.version, operation);
        close();
      } catch (problem) {
        if (problem.kind !== "out_of_date") throw problem;
        await this.desk.refresh();
        this.say(changesSince(seen, this.desk.task, "What you typed is still here: save again to keep it, or cancel."));
        seen = this.desk.task;
      }
    };
    const node = form(fields.map(labelled), { class: "stack card", verb: save, send, cancel: close });
    this.node.hidden = false;
    fill(place, node);
    node.querySelector("input, textarea, select").focus();
  }
}

const labelled = ({ label, kind = "input", options, change, ...more }) =>
  field(label, options ? choice(label, options, options[0], change, more) : el(kind, { "aria-label": label, ...more }));

/** Return what became of a task since it was seen, and what to do about it. */
export function changesSince(before, after, advice) {
  const changed = Object.keys(NAMES).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return el("div.problem", { role: "alert" }, el("strong", "Somebody changed this task meanwhile."),
    el("ul", changed.map((name) => el("li", `${NAMES[name]} is now ${shown(after[name])}`))), el("p", advice));
}

function shown(value) {
  if (value === undefined || value === null || value === "") return "empty";
  const mark = ({ checked }) => (checked === undefined ? "" : checked ? "☑ " : "☐ ");
  const name = (item) => item.text ?? item.path ?? item.name ?? item.ref ?? item.id ?? item;
  const items = [value].flat().map((item) => mark(item) + name(item));
  return `“${items.join(", ").slice(0, 300)}”`;
}
