// The interface of the page to its views: main element, URL parameters, keyboard shortcuts, and an abort signal.

import { dialog, singleFlight } from "./controls.js";
import { errorMessage } from "./display.js";
import { el, fill } from "./dom.js";
import { on } from "./live.js";
import { go } from "./router.js";

/**
 * A keyboard shortcut; `run` returns false if it did not use the key, and is null if something else handles it.
 * @typedef {{key: string, text: string, run: ((event: KeyboardEvent) => any) | null}} Shortcut
 */

/**
 * The shortcuts of the current view.
 * @type {Shortcut[]}
 */
const viewShortcuts = [];
/** Keys that move or close, which are no actions. */
const MOVING_KEYS = new Set(["j", "k", "J", "K", "[", "]", "Escape", "?"]);
const EDITABLE = "input, textarea, select, [contenteditable]";
/** A judgement: twice the 1 s that interrupts a flow of thought (Nielsen), after which the elapsed time is useful. */
const SHOW_SECONDS_AFTER_MS = 2000;

/** A view while it is shown: created on navigation to it, left on navigation away from it. */
export class View {
  /**
   * @param {HTMLElement} main
   * @param {Record<string, string>} parameters of the route
   * @param {URLSearchParams} query
   * @param {{takesFocus?: boolean}} options whether the heading gets the focus
   */
  constructor(main, parameters, query, { takesFocus = false } = {}) {
    const leaving = new AbortController();
    this.main = main;
    this.parameters = parameters;
    this.query = query;
    this.signal = leaving.signal;
    this.takesFocus = takesFocus;
    this.title = "";
    /** Leave the view: abort its requests and remove its listeners. */
    this.leave = () => leaving.abort();
    viewShortcuts.splice(0);
  }

  /**
   * Set the heading and the document's title. The first heading after navigation gets the focus, so that keyboard and
   * screen reader users start at the top of the new view.
   * @param {string} title
   * @param {{json?: string | null, tools?: any, filters?: any}} parts the URL of the view's JSON, buttons beside the
   *   title, controls below it
   */
  setHeading(title, { json = null, tools = [], filters = null } = {}) {
    this.title = title;
    document.title = `${title} · Holdfast`;
    const link = json && el("a.button.plain", { href: json, target: "_blank", rel: "noopener" }, "JSON");
    const line = el("div.title.row", el("h1", { tabindex: "-1" }, title), el("div.tools.row", tools, link));
    const header = /** @type {HTMLElement} */ (this.main.querySelector(":scope > .heading")) ?? el("header.heading");
    const hadFocus = document.activeElement?.localName === "h1" && header.contains(document.activeElement);
    if (!header.parentNode) this.main.prepend(header);
    fill(header, line, filters && el("div.filters", filters));
    if (this.takesFocus || hadFocus) header.querySelector("h1")?.focus({ preventScroll: true });
    this.takesFocus = false;
    return header;
  }

  /**
   * Change query parameters in the URL without showing the view again; null removes a parameter.
   * @param {Record<string, string | null>} changes
   */
  setQuery(changes) {
    changeParameters(this.query, changes);
    const { pathname, hash } = location;
    history.replaceState(null, "", `${pathname}${this.query.size ? `?${this.query}` : ""}${hash}`);
  }

  /**
   * Navigate to another URL of the page; with `replace`, Back skips the current one.
   * @param {string} url
   * @param {{replace?: boolean}} [options]
   */
  go(url, options) {
    go(url, options);
  }

  /**
   * Call back on each change of a topic, until the view is left.
   * @param {string} topic
   * @param {() => any} callback
   */
  on(topic, callback) {
    on(topic, callback, this.signal);
  }

  /**
   * Add a keyboard shortcut to this view; the text is shown in the list of keys.
   * @param {string} key
   * @param {string} text
   * @param {Shortcut["run"]} run
   */
  addKey(key, text, run) {
    viewShortcuts.push({ key, text, run });
  }

  /**
   * Announce text to screen readers.
   * @param {string} text
   */
  announce(text) {
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = text;
  }

  /**
   * Show an error in an element, unless a request was aborted because the view was left.
   * @param {HTMLElement} place
   * @param {any} problem
   */
  showError(place, problem) {
    if (problem.name !== "AbortError") fill(place, errorMessage(problem));
  }

  /**
   * Run a function that may fail, and show its error in an element.
   * @param {HTMLElement} place
   * @param {() => Promise<any>} work
   */
  attempt(place, work) {
    return work().catch((problem) => {
      this.showError(place, problem);
      if (problem.status === undefined && problem.name !== "AbortError") throw problem; // a bug in the page itself
    });
  }

  /**
   * Run a slow function that fills an element. Meanwhile the element shows the activity and the elapsed time.
   * @param {HTMLElement} place
   * @param {string} activity
   * @param {() => Promise<any>} run
   */
  runWithStatus(place, activity, run) {
    const startTime = Date.now();
    const status = el("p.quiet", { role: "status" }, `${activity}…`);
    fill(place, status);
    const showElapsed = () => {
      const seconds = Math.round((Date.now() - startTime) / 1000);
      status.textContent = `${activity}… ${seconds} s so far.`;
    };
    const timer = setInterval(showElapsed, SHOW_SECONDS_AFTER_MS);
    return this.attempt(place, run).finally(() => clearInterval(timer));
  }

  /**
   * Call a function after changes of the files, of what is staged and of commits, and whenever the returned function is
   * called. Calls do not overlap: changes during a call lead to one more.
   * @param {() => any} run
   */
  onSource(run) {
    let isDue = false;
    const runWhileDue = singleFlight(async () => {
      while (isDue && !this.signal.aborted) {
        isDue = false;
        await run();
      }
    });
    const runNow = () => {
      isDue = true;
      return runWhileDue();
    };
    this.on("source", runNow);
    return runNow;
  }
}

/**
 * Change some parameters of a query; null or an empty value removes a parameter.
 * @param {URLSearchParams} query
 * @param {Record<string, string | null>} changes
 */
export function changeParameters(query, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
}

/**
 * Return a value of the URL if it is a key of `choices`, else `fallback`.
 * @param {string | null} value
 * @param {object} choices
 * @param {string} fallback
 */
export const validChoice = (value, choices, fallback) =>
  (value !== null && Object.hasOwn(choices, value) ? value : fallback);

/** Return the shortcuts of the current view that do something, each key and each text once. */
export function viewActions() {
  const seen = new Set();
  return viewShortcuts.filter(({ key, text, run }) => {
    const isAction = run !== null && !MOVING_KEYS.has(key) && !seen.has(text);
    seen.add(text);
    return isAction;
  });
}

/**
 * Start handling keyboard shortcuts: first those of the current view, then the given ones, which work in every view.
 * `?` lists all of them.
 * @param {...Shortcut} shortcuts
 */
export function handleKeys(...shortcuts) {
  const allShortcuts = () => [...viewShortcuts, ...shortcuts, { key: "?", text: "Show the keys", run: showKeys }];
  const showKeys = () => {
    const rows = allShortcuts().map(({ key, text }) => el("tr", el("td", el("kbd", key)), el("td", text)));
    dialog("Keys", el("table.keys", el("tbody", rows)));
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    const isTyping = event.target instanceof Element && event.target.closest(EDITABLE);
    if (isTyping && event.key !== "Escape" && !hasModifier) return;
    const name = `${hasModifier ? "Ctrl-" : ""}${event.key}`;
    const shortcut = allShortcuts().find(({ key }) => key === name);
    if (shortcut?.run && shortcut.run(event) !== false) event.preventDefault();
  });
}
