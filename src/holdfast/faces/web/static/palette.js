// The palette: one field that finds views, files, symbols, tasks, issues and notes.

import { get } from "./api.js";
import { Options } from "./combobox.js";
import { dialog } from "./controls.js";
import { quiet } from "./display.js";
import { el, fill } from "./dom.js";
import { codeAddress } from "./links.js";
import { address, go } from "./router.js";

/** Pause in typing before the server is asked; a judgement: longer than between two keystrokes. */
const PAUSE_MS = 120;
/** Results of each source; a judgement: five sources then fit the list with little scrolling. */
const RESULTS_EACH = 6;

/** @typedef {{text: string, kind: string, href: string}} Result */

/**
 * The sources on the server, in the order in which their results are shown.
 * @type {((query: string, options: {signal: AbortSignal}) => Promise<Result[]>)[]}
 */
const SOURCES = [
  async (query, options) => {
    const { matches } = await get("source/find_files", { query, limit: RESULTS_EACH }, options);
    return matches.filter(({ path }) => !path.endsWith(".comments")).map(({ name, path, line, kind }) =>
      ({ text: name ? `${name} · ${path}` : path, kind, href: codeAddress(path, line) }));
  },
  async (query, options) => {
    const { tasks } = await get("tasks/taskpilot_list", { query, limit: RESULTS_EACH }, options);
    return tasks.map(({ id, title }) => ({ text: `${id} ${title}`, kind: "task", href: address("/task", id) }));
  },
  async (text, options) => {
    const query = { entity: "issue", filter: `title ~ ${JSON.stringify(text)}`, limit: RESULTS_EACH };
    const { items } = await get("milestones/git_mile_list", query, options);
    return items.map(({ id, title }) => ({ text: title, kind: "issue", href: address("/issues", id) }));
  },
  async (query, options) => {
    const { comments } = await get("comments/search_comments", { query, limit: RESULTS_EACH }, options);
    return comments.map(({ text, filePath, line }) =>
      ({ text: `${text} · ${filePath}`, kind: "note", href: codeAddress(filePath, line) }));
  },
];

/**
 * The results for one query. Each source's results are shown once all sources before it have answered, so what is
 * shown never moves and the first result does not depend on which source is fastest.
 */
class Search {
  /**
   * @param {string} query
   * @param {() => void} changed called whenever more results are shown
   */
  constructor(query, changed) {
    this.query = query;
    this.changed = changed;
    this.aborting = new AbortController();
    /** @type {(Result[] | null)[]} the results of the views and of each source; null until it has answered */
    this.answers = [viewsMatching(query), ...SOURCES.map(() => (query ? null : []))];
  }

  get isComplete() {
    return !this.answers.includes(null);
  }

  /** The results of all leading sources that have answered. */
  get results() {
    const pending = this.answers.indexOf(null);
    return /** @type {Result[][]} */ (pending < 0 ? this.answers : this.answers.slice(0, pending)).flat();
  }

  /** Ask the server; a source that fails has no results. */
  start() {
    const { signal } = this.aborting;
    for (const [index, source] of SOURCES.entries()) {
      source(this.query, { signal }).catch(() => []).then((found) => {
        if (signal.aborted) return;
        this.answers[index + 1] = found;
        this.changed();
      });
    }
  }
}

/** Open the palette. */
export function open() {
  const input = el("input", {
    type: "text", placeholder: "Files, symbols, tasks, issues, notes, views", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-label": "Search or jump", "aria-expanded": true, "aria-controls": "found",
  });
  const list = el("ul.plain-list", { id: "found", role: "listbox", "aria-label": "Results" });
  const take = (/** @type {Result} */ { href }) => (box.close(), go(href));
  const options = new Options(input, list, {
    render: ({ text, kind }) => [el("span.one-line", text), quiet(kind)], take,
  });
  /** @type {number | undefined} */
  let timer;
  /** @type {Search} */
  let search;
  let isEnterPending = false;
  const show = () => {
    const { results, isComplete } = search;
    if (isEnterPending && results.length) return take(results[0]);
    options.show(results, Math.min(Math.max(options.selected, 0), results.length - 1));
    if (!results.length) fill(list, el("li.quiet", { role: "option" }, isComplete ? "Nothing found" : "Searching…"));
  };
  /** Show matching views at once and ask the server when the user stops typing. */
  const begin = () => {
    clearTimeout(timer);
    search?.aborting.abort();
    search = new Search(input.value.trim(), show);
    isEnterPending = false;
    options.selected = 0;
    show();
    const { query } = search;
    if (query) timer = setTimeout(() => search.start(), PAUSE_MS);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (options.press(event.key)) event.preventDefault();
    else if (event.key === "Enter") isEnterPending = !search.isComplete; // taken as soon as the first result is known
  };
  input.addEventListener("input", begin);
  input.addEventListener("keydown", press);
  const box = dialog("Search or jump");
  box.classList.add("palette");
  box.addEventListener("close", () => (clearTimeout(timer), search.aborting.abort()));
  fill(box, input, list);
  input.focus();
  begin();
}

/**
 * Return the views whose name has the letters of a query in that order.
 * @param {string} query
 * @returns {Result[]}
 */
function viewsMatching(query) {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("#rail a"));
  return [...links]
    .map((link) => ({ text: link.firstElementChild?.textContent ?? "", kind: "view", href: link.pathname }))
    .filter(({ text }) => hasInOrder(text, query));
}

/**
 * Return whether a text has some letters in that order.
 * @param {string} text
 * @param {string} letters
 */
function hasInOrder(text, letters) {
  let from = 0;
  const lower = text.toLowerCase();
  return [...letters.toLowerCase()].every((letter) => (from = lower.indexOf(letter, from) + 1) > 0);
}
