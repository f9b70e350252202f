// What the board asks for: a new task, and the reason for a move.

import { button } from "../../controls.js";
import { el } from "../../dom.js";

/** Show a form above the page. `submit` may refuse by throwing; resolves to undefined when it was cancelled. */
function form(view, title, verb, fields, submit) {
  return new Promise((resolve) => {
    let answer;
    const failure = el("div");
    const send = async (event) => {
      event.preventDefault();
      try {
        answer = await submit(new FormData(event.target));
        box.close();
      } catch (problem) {
        view.fail(failure, problem);
      }
    };
    const buttons = el("div", { class: "row" }, el("button", { class: "button primary", type: "submit" }, verb),
      button("Cancel", () => box.close()));
    const box = el("dialog", { "aria-label": title, on: { close: () => (box.remove(), resolve(answer)) } },
      el("form", { class: "stack", on: { submit: send } }, el("h2", {}, title), fields, failure, buttons));
    view.signal.addEventListener("abort", () => box.close());
    document.body.append(box);
    box.showModal();
  });
}

function field(text, control) {
  return el("label", { class: "field" }, el("span", {}, text), control);
}

/** Ask why a card moves; undefined when somebody thought better of it. */
export function askReason(view, id, column) {
  const input = el("input", { name: "reason", required: true, maxlength: "500", autofocus: true });
  const question = column === "Blocked" ? "What is in its way?" : "Why is it opened again?";
  return form(view, `${id} to ${column}`, "Move", field(question, input), (data) => data.get("reason"));
}

/** Ask for a new task and add it; resolves to its id. */
export function askTask(view, source) {
  const priorities = ["high", "medium", "low"].map((name) => el("option", { selected: name === "medium" }, name));
  const fields = [
    field("Title", el("input", { name: "title", required: true, maxlength: "200", autofocus: true })),
    field("Priority", el("select", { name: "priority" }, priorities)),
    field("Done when (one criterion on each line; optional)", el("textarea", { name: "criteria", rows: "3" })),
  ];
  return form(view, "New task", "Add", fields, async (data) => {
    const criteria = data.get("criteria").split("\n").map((line) => line.trim()).filter(Boolean);
    const { task } = await source.add({ title: data.get("title"), priority: data.get("priority"), criteria });
    return task.id;
  });
}
