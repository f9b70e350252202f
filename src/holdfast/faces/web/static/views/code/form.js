// The form in which a note, a remark or a reply is written, and the name under which this browser writes.

import { choice } from "../../controls.js";
import { el } from "../../dom.js";
import { form } from "../../form.js";

const TAGS = ["NOTE", "TODO", "FIXME", "QUESTION", "STAR"];
const NAME = "author";

/** Return the form; `run` sends what it holds and may fail, `done` follows it. */
export function noteForm({ label, verb, tags = false, run, done, close }) {
  const area = el("textarea", { name: "text", "aria-label": label, placeholder: label, required: true, rows: "3" });
  const tagged = tags && choice("Kind", TAGS, "NOTE", () => {}, { name: "tag" });
  const signed = el("input", { name: "author", "aria-label": "Your name", title: "Your name", value: noteForm.author(), size: "8" });
  const send = async ({ text, tag, author }) => {
    if (!text.trim()) return;
    localStorage.setItem(NAME, author.trim() || noteForm.author());
    await run({ text, tag, author: noteForm.author() });
    close();
    await done();
  };
  return form(area, { class: "stack note-form", verb, send, cancel: close, beside: [tagged, signed] });
}

/** Return the name under which this browser writes. */
noteForm.author = () => localStorage.getItem(NAME) || "user";
