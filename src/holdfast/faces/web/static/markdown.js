// Markdown as nodes: rendered and sanitised by the server, many texts in one request.
import { post } from "./api.js";
import { adopt, el } from "./dom.js";

const MOST_TEXTS = 200;
const MOST_CHARACTERS = 150_000; // of one request: a megabyte, however the characters are spelled
const KEPT = 500;

/** @type {Map<string, string>} Text to HTML, the oldest first. */
const known = new Map();
/** @type {{text: string, done: (html: string | null) => void}[]} */
let waiting = [];

/**
 * Returns a text as an element that shows its Markdown; as it was written where the server cannot render it.
 * @param {string} text
 * @returns {Promise<HTMLElement>}
 */
export async function markdown(text) {
  const html = known.get(text) ?? (await new Promise((done) => ask(text, done)));
  if (html === null) return el("div", { class: "markdown as-written" }, text);
  return el("div", { class: "markdown" }, adopt(html, "html"));
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
