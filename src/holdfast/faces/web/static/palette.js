// The palette: a search field for recent items, views, actions, files, symbols, tasks, issues and notes.

import { get } from "./api.js";
import { Options } from "./combobox.js";
import { dialog } from "./controls.js";
import { quiet } from "./display.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import { SIDECAR_SUFFIX, codeAddress } from "./links.js";
import { recentItems } from "./recent.js";
import { address, go } from "./router.js";
import { viewActions } from "./view.js";

/** The pause in typing after which a search starts; a judgement: longer than the time between two keystrokes. */
const TYPING_PAUSE_MS = 120;
/** A judgement: the results of all sources then fit the list with little scrolling. */
const RESULTS_EACH = 6;

const TASK_ID = /^[a-z][a-z0-9]*-\d+$/i;

/** The icons of views and of kinds of results; symbols have that of code. */
const ICONS = {
  Today: "today", Board: "board", Review: "review", Issues: "issues", Health: "health", Activity: "activity",
  file: "file", code: "file", task: "task", issue: "issues", note: "note", action: "action",
};
/** The number of recent items without a query; a judgement: the views and some actions fit below them. */
const MAX_RECENT = 6;

/** @typedef {{text: string, kind: string, href?: string, run?: () => any}} Result a link, or an action to run */

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
    /** @type {(Result[] | null)[]} what is known here, then the results of each source; null until it has responded */
    this.groups = [localResults(query), ...SOURCES.map(() => (query ? null : []))];
  }

  get isComplete() {
    return !this.groups.includes(null);
  }

  /** The results of the sources before the first one that has not responded. */
  get results() {
    const pending = this.groups.indexOf(null);
    const ready = pending < 0 ? this.groups : this.groups.slice(0, pending);
    const seen = new Set();
    return /** @type {Result[][]} */ (ready).flat().filter(({ href }) => {
      const isNew = href === undefined || !seen.has(href);
      seen.add(href);
      return isNew;
    });
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
    type: "text", placeholder: "Files, symbols, tasks, issues, notes, views, actions",
    autocomplete: "off", spellcheck: "false", role: "combobox",
    "aria-label": "Search or jump", "aria-expanded": true, "aria-controls": "found",
  });
  const list = el("ul.plain-list", { id: "found", role: "listbox", "aria-label": "Results" });
  const choose = (/** @type {Result} */ { href, run }) => {
    box.close();
    if (href) go(href);
    else run?.();
  };
  const options = new Options(input, list, {
    render: ({ text, kind }) =>
      [icon(ICONS[kind === "view" ? text : kind] ?? "code"), el("span.one-line", text), quiet(kind)],
    choose,
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
    const state = isComplete ? !results.length && "Nothing found" : "Searching…";
    if (state) list.append(el("li.quiet", { role: "option", "aria-disabled": true }, state));
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
 * Return what needs no request: recent items, views and actions.
 * @param {string} query
 * @returns {Result[]}
 */
function localResults(query) {
  const words = query.toLowerCase();
  const matches = (/** @type {{text: string}} */ { text }) => text.toLowerCase().includes(words);
  const recent = recentItems().filter((item) => item.href !== location.pathname && matches(item)).slice(0, MAX_RECENT);
  const actions = allActions().filter(matches);
  // A view that is named comes first, so that its first letters and Enter lead to it as before.
  return query ? [...matchingViews(query), ...recent, ...actions] : [...recent, ...matchingViews(query), ...actions];
}

/** @returns {Result[]} what can be done here and everywhere */
function allActions() {
  const own = viewActions().map(({ key, text, run }) =>
    ({ text: `${text} (${key})`, kind: "action", run: () => run?.(new KeyboardEvent("keydown", { key })) }));
  const everywhere = [
    { text: "New task…", kind: "action", href: "/board?new=true" },
    { text: "New issue…", kind: "action", href: "/issues?new=true" },
    { text: "Review the work tree", kind: "action", href: "/review?what=worktree" },
    { text: "Switch between light and dark", kind: "action", run: () => document.getElementById("theme")?.click() },
  ];
  return [...own, ...everywhere.filter(({ href }) => !href?.startsWith(`${location.pathname}?`))];
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
