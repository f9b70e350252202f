// Search or jump: one box that finds views, files, symbols, tasks, issues and notes, by letters in order.

import { el, fill } from "./dom.js";
import { get } from "./api.js";
import { dialog } from "./keys.js";
import { address, go } from "./router.js";

const PAUSE = 120;
const EACH = 6;

/** What the server finds, each as {text, kind, href}; a source that fails finds nothing. */
const SOURCES = [
  async (words, options) => (await get("source/find_files", { query: words, limit: EACH }, options)).matches
    .filter(({ path }) => !path.endsWith(".comments"))
    .map(({ name, path, line, kind }) => ({ text: name ? `${name} · ${path}` : path, kind, href: address("/code", path) + (line ? `#L${line}` : "") })),
  async (words, options) => (await get("tasks/taskpilot_list", { query: words, limit: EACH }, options)).tasks
    .map(({ id, title }) => ({ text: `${id} ${title}`, kind: "task", href: address("/task", id) })),
  async (words, options) => (await get("milestones/git_mile_list", { entity: "issue", filter: `title ~ ${JSON.stringify(words)}`, limit: EACH }, options)).items
    .map(({ id, title }) => ({ text: title, kind: "issue", href: address("/issues", id) })),
  async (words, options) => (await get("comments/search_comments", { query: words, limit: EACH }, options)).comments
    .map(({ text, filePath, line }) => ({ text: `${text} · ${filePath}`, kind: "note", href: `${address("/code", filePath)}#L${line}` })),
];

function views(words) {
  return [...document.querySelectorAll("#rail a")].map((link) => ({ text: link.firstElementChild.textContent, kind: "view", href: link.pathname }))
    .filter(({ text }) => inOrder(words, text));
}

/** Open the box. */
export function open() {
  const input = el("input", { type: "text", placeholder: "Files, symbols, tasks, issues, notes, views", role: "combobox", "aria-label": "Search or jump", "aria-expanded": "true", "aria-controls": "found", autocomplete: "off", spellcheck: "false" });
  const list = el("ul", { id: "found", role: "listbox", "aria-label": "Found" });
  const box = dialog("Search or jump");
  box.classList.add("palette");
  fill(box, input, list);
  input.focus();
  const search = new Search(list, () => box.close());
  input.addEventListener("input", () => search.begin(input.value.trim()));
  input.addEventListener("keydown", (event) => search.key(event));
  search.begin("");
}

class Search {
  constructor(list, close) {
    Object.assign(this, { list, close, found: [], selected: 0, timer: null, entered: false, asking: new AbortController() });
  }

  /** Show views at once, and what the server finds when the typing pauses. */
  begin(words) {
    clearTimeout(this.timer);
    this.asking.abort();
    this.asking = new AbortController();
    this.entered = false;
    this.selected = 0;
    this.show(views(words));
    if (words) this.timer = setTimeout(() => this.ask(words, this.asking.signal), PAUSE);
  }

  ask(words, signal) {
    const parts = [views(words), ...SOURCES.map(() => [])];
    for (const [place, source] of SOURCES.entries()) {
      source(words, { signal }).catch(() => []).then((found) => {
        if (signal.aborted) return;
        parts[place + 1] = found;
        this.show(parts.flat());
      });
    }
  }

  show(found) {
    this.found = found;
    if (this.entered && found.length) return this.choose(found[0].href);
    this.selected = Math.min(this.selected, Math.max(0, found.length - 1));
    fill(this.list, found.length ? found.map((item, place) => this.line(item, place)) : el("li", { class: "quiet", role: "option" }, "Nothing found"));
  }

  line({ text, kind, href }, place) {
    const selected = String(place === this.selected);
    return el("li", { role: "option", "aria-selected": selected, on: { click: () => this.choose(href) } }, el("span", {}, text), el("span", { class: "quiet" }, kind));
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && this.found.length) this.choose(this.found[this.selected].href);
    else if (event.key === "Enter") this.entered = true; // whatever is found first
    else if (step && this.found.length) {
      this.selected = (this.selected + step + this.found.length) % this.found.length;
      this.show(this.found);
      this.list.children[this.selected].scrollIntoView({ block: "nearest" });
    } else return;
    event.preventDefault();
  }

  choose(href) {
    this.close();
    go(href);
  }
}

function inOrder(letters, text) {
  let from = 0;
  const lower = text.toLowerCase();
  return [...letters.toLowerCase()].every((letter) => (from = lower.indexOf(letter, from) + 1) > 0);
}
