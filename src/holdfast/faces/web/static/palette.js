// Search or jump: one box that finds views, files, symbols, tasks, issues and notes, by letters in order.

import { get } from "./api.js";
import { Choices } from "./combobox.js";
import { codeAddress, dialog, el, fill, quiet } from "./dom.js";
import { address, go } from "./router.js";

const PAUSE = 120;
const EACH = 6;

/** What the server finds, each as {text, kind, href}; a source that fails finds nothing. */
const SOURCES = [
  async (words, options) => {
    const { matches } = await get("source/find_files", { query: words, limit: EACH }, options);
    return matches.filter(({ path }) => !path.endsWith(".comments")).map(({ name, path, line, kind }) =>
      ({ text: name ? `${name} · ${path}` : path, kind, href: codeAddress(path, line) }));
  },
  async (words, options) => {
    const { tasks } = await get("tasks/taskpilot_list", { query: words, limit: EACH }, options);
    return tasks.map(({ id, title }) => ({ text: `${id} ${title}`, kind: "task", href: address("/task", id) }));
  },
  async (words, options) => {
    const query = { entity: "issue", filter: `title ~ ${JSON.stringify(words)}`, limit: EACH };
    const { items } = await get("milestones/git_mile_list", query, options);
    return items.map(({ id, title }) => ({ text: title, kind: "issue", href: address("/issues", id) }));
  },
  async (words, options) => {
    const { comments } = await get("comments/search_comments", { query: words, limit: EACH }, options);
    return comments.map(({ text, filePath, line }) =>
      ({ text: `${text} · ${filePath}`, kind: "note", href: codeAddress(filePath, line) }));
  },
];

function views(words) {
  return [...document.querySelectorAll("#rail a")]
    .map((link) => ({ text: link.firstElementChild.textContent, kind: "view", href: link.pathname }))
    .filter(({ text }) => inOrder(words, text));
}

export function open() {
  const input = el("input", {
    type: "text", placeholder: "Files, symbols, tasks, issues, notes, views", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-label": "Search or jump", "aria-expanded": true, "aria-controls": "found",
  });
  const list = el("ul.plain-list", { id: "found", role: "listbox", "aria-label": "Found" });
  const take = ({ href }) => (box.close(), go(href));
  const line = ({ text, kind }) => [el("span.one-line", text), quiet(kind)];
  const choices = new Choices(input, list, { line, take });
  let timer, asking = new AbortController(), isEntered = false;
  const show = (found) => {
    if (isEntered && found.length) return take(found[0]);
    choices.show(found, Math.min(Math.max(choices.chosen, 0), found.length - 1));
    if (!found.length) fill(list, el("li.quiet", { role: "option" }, "Nothing found"));
  };
  /** Show views at once, and what the server finds when the typing pauses. */
  const search = () => {
    const words = input.value.trim();
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    isEntered = false;
    choices.chosen = 0;
    show(views(words));
    if (words) timer = setTimeout(() => ask(words, asking.signal, show), PAUSE);
  };
  const press = (event) => {
    if (choices.press(event.key)) event.preventDefault();
    else if (event.key === "Enter") isEntered = true; // whatever is found first
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", press);
  const box = dialog("Search or jump");
  box.classList.add("palette");
  fill(box, input, list);
  input.focus();
  search();
}

function ask(words, signal, show) {
  const parts = [views(words), ...SOURCES.map(() => [])];
  for (const [place, source] of SOURCES.entries()) {
    source(words, { signal }).catch(() => []).then((found) => {
      if (signal.aborted) return;
      parts[place + 1] = found;
      show(parts.flat());
    });
  }
}

function inOrder(letters, text) {
  let from = 0;
  const lower = text.toLowerCase();
  return [...letters.toLowerCase()].every((letter) => (from = lower.indexOf(letter, from) + 1) > 0);
}
