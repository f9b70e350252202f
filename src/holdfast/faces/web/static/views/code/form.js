// The form in which a note, a remark or a reply is written: Ctrl-Enter sends it, Esc closes it.

import { el } from "../../dom.js";
import { failure } from "../../view.js";

const TAGS = ["NOTE", "TODO", "FIXME", "QUESTION", "STAR"];
const NAME = "author";

/** Return the form; `run` sends what it holds and may fail, `done` follows it. */
export function noteForm({ label, button, tags = false, run, done, close }) {
  const text = el("textarea", { "aria-label": label, placeholder: label, required: true, rows: "3" });
  const tag = tags ? el("select", { "aria-label": "Kind" }, TAGS.map((name) => el("option", {}, name))) : null;
  const author = el("input", { "aria-label": "Your name", title: "Your name", value: noteForm.author(), size: "8" });
  const send = el("button", { class: "button primary", type: "submit" }, button);
  const cancel = el("button", { class: "button plain", type: "button", on: { click: close } }, "Cancel");
  const form = el("form", { class: "note-form" }, text, el("div", { class: "row" }, tag, author, send, cancel));
  text.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && (event.preventDefault(), form.requestSubmit()));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!text.value.trim() || send.disabled) return;
    send.disabled = true;
    const name = author.value.trim() || noteForm.author();
    localStorage.setItem(NAME, name);
    try {
      await run({ text: text.value, tag: tag?.value, author: name });
      close();
      await done();
    } catch (problem) {
      form.querySelector(".problem")?.remove();
      form.append(failure(problem));
      send.disabled = false;
    }
  });
  return form;
}

/** Return the name under which this browser writes. */
noteForm.author = () => localStorage.getItem(NAME) || "user";
