// The palette: a search field for views, files, symbols, tasks, issues and notes.

import { get } from "./api.js";
import { Options } from "./combobox.js";
import { dialog } from "./controls.js";
import { quiet } from "./display.js";
import { el, fill } from "./dom.js";
import { SIDECAR_SUFFIX, codeAddress } from "./links.js";
import { address, go } from "./router.js";

/** The pause in typing after which a search starts; a judgement: longer than the time between two keystrokes. */
const TYPING_PAUSE_MS = 120;
/** A judgement: the results of all sources then fit the list with little scrolling. */
const RESULTS_EACH = 6;

const TASK_ID = /^[a-z][a-z0-9]*-\d+$/i;

/** @typedef {{text: string, kind: string, href: string}} Result */

/**
 * Searches on the server, in the order in which their results are shown.
 * @type {((query: string, options: {signal: AbortSignal}) => Promise<Result[]>)[]}
 */
const SOURCES = [
  async (query, options) => {
    const { matches } = await get("source/find_files", { query, limit: RESULTS_EACH }, options);
    return matches.filter(({ path }) => !path.endsWith(SIDECAR_SUFFIX)).map(({ name, path, line, kind }) =>
      ({ text: name ? `${name} · ${path}` : path, kind, href: codeAddress(path, line) }));
  },
  async (query, options) => {
    if (!TASK_ID.test(query)) return [];
    const { task: { id, title } } = await get("tasks/taskpilot_show", { task_id: query.toUpperCase() }, options);
    return [{ text: `${id} ${title}`, kind: "task", href: address("/task", id) }];
  },
  async (query, options) => {
    const { tasks } = await get("tasks/taskpilot_list", { query, limit: RESULTS_EACH }, options);
    return tasks.map(({ id, title }) => ({ text: `${id} ${title}`, kind: "task", href: address("/task", id) }));
  },
  async (text, options) => {
    const words = JSON.stringify(text);
    const query = { entity: "issue", filter: `title ~ ${words} or id ~ ${words}`, limit: RESULTS_EACH };
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
 * The results for one query. The results of a source are shown once all sources before it have responded, so results
 * that are shown never move, and the first result does not depend on which source is fastest.
 */
class Search {
  /**
   * @param {string} query
   * @param {() => void} onChange called whenever there are more results
   */
  constructor(query, onChange) {
    this.query = query;
    this.onChange = onChange;
    this.controller = new AbortController();
    /** @type {(Result[] | null)[]} the matching views, then the results of each source; null until it has responded */
    this.groups = [matchingViews(query), ...SOURCES.map(() => (query ? null : []))];
  }

  get isComplete() {
    return !this.groups.includes(null);
  }

  /** The results of the sources before the first one that has not responded. */
  get results() {
    const pending = this.groups.indexOf(null);
    const ready = pending < 0 ? this.groups : this.groups.slice(0, pending);
    return /** @type {Result[][]} */ (ready).flat();
  }

  /** Send the requests. A source that fails has no results. */
  start() {
    const { signal } = this.controller;
    for (const [index, source] of SOURCES.entries()) {
      source(this.query, { signal }).catch(() => []).then((results) => {
        if (signal.aborted) return;
        this.groups[index + 1] = results;
        this.onChange();
      });
    }
  }

  abort() {
    this.controller.abort();
  }
}

/** Open the palette. */
export function open() {
  const input = el("input", {
    type: "text", placeholder: "Files, symbols, tasks, issues, notes, views", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-label": "Search or jump", "aria-expanded": true, "aria-controls": "found",
  });
  const list = el("ul.plain-list", { id: "found", role: "listbox", "aria-label": "Results" });
  const choose = (/** @type {Result} */ { href }) => {
    box.close();
    go(href);
  };
  const options = new Options(input, list, {
    render: ({ text, kind }) => [el("span.one-line", text), quiet(kind)], choose,
  });
  /** @type {number | undefined} */
  let timer;
  /** @type {Search} */
  let search;
  let isEnterPending = false;
  const show = () => {
    const { results, isComplete } = search;
    if (isEnterPending && results.length) return choose(results[0]);
    options.show(results, Math.min(Math.max(options.selected, 0), results.length - 1));
    if (!results.length) fill(list, el("li.quiet", { role: "option" }, isComplete ? "Nothing found" : "Searching…"));
  };
  /** Show matching views at once, and search on the server when the user stops typing. */
  const startSearch = () => {
    clearTimeout(timer);
    search?.abort();
    search = new Search(input.value.trim(), show);
    isEnterPending = false;
    options.selected = 0;
    show();
    const { query } = search;
    if (query) timer = setTimeout(() => search.start(), TYPING_PAUSE_MS);
  };
  const handleKey = (/** @type {KeyboardEvent} */ event) => {
    if (options.handleKey(event.key)) event.preventDefault();
    else if (event.key === "Enter") isEnterPending = !search.isComplete; // the first result is chosen when it is known
  };
  input.addEventListener("input", startSearch);
  input.addEventListener("keydown", handleKey);
  const box = dialog("Search or jump");
  box.classList.add("palette");
  box.addEventListener("close", () => {
    clearTimeout(timer);
    search.abort();
  });
  fill(box, input, list);
  input.focus();
  startSearch();
}

/**
 * Return the views whose name contains the letters of a query in their order.
 * @param {string} query
 * @returns {Result[]}
 */
function matchingViews(query) {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("#rail a"));
  return [...links]
    .map((link) => ({ text: link.firstElementChild?.textContent ?? "", kind: "view", href: link.pathname }))
    .filter(({ text }) => containsInOrder(text, query));
}

/**
 * Return whether a text contains some letters in their order, with any others between them.
 * @param {string} text
 * @param {string} letters
 */
function containsInOrder(text, letters) {
  const lower = text.toLowerCase();
  let position = 0;
  for (const letter of letters.toLowerCase()) {
    const index = lower.indexOf(letter, position);
    if (index < 0) return false;
    position = index + 1;
  }
  return true;
}
