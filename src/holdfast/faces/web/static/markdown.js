// Markdown as nodes: rendered and sanitised by the server, many texts in one request.

import { post } from "./api.js";
import { adopt, el, fill } from "./dom.js";

const MOST_TEXTS = 200;
const MOST_CHARACTERS = 150_000; // of one request: a megabyte, however the characters are spelled
const KEPT = 500;

/** Text to HTML, the oldest first. */
const known = new Map();
let waiting = [];

/** Return an element that shows a text's Markdown: as it was written until the server has rendered it, or where it cannot. */
export function markdown(text) {
  const node = el("div", { class: "markdown as-written" }, text);
  const show = (html) => {
    if (html === null) return;
    node.classList.remove("as-written");
    fill(node, adopt(html, "html"));
  };
  known.has(text) ? show(known.get(text)) : ask(text, show);
  return node;
}

function ask(text, done) {
  if (waiting.length === 0) queueMicrotask(renderAll);
  waiting.push({ text, done });
}

async function renderAll() {
  const all = waiting;
  waiting = [];
  while (all.length > 0) {
    let [count, characters] = [0, 0];
    while (count < Math.min(all.length, MOST_TEXTS) && (count === 0 || characters + all[count].text.length <= MOST_CHARACTERS)) {
      characters += all[count].text.length;
      count += 1;
    }
    await render(all.splice(0, count));
  }
}

async function render(batch) {
  const texts = batch.map((item) => item.text);
  const answer = await post("markdown", { texts }).catch(() => null);
  batch.forEach(({ text, done }, place) => {
    const html = answer === null ? null : answer.html[place];
    if (html !== null) known.set(text, html);
    done(html);
  });
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(oldest);
}
