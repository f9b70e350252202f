// What a view gets: the main element, the parameters of its address, its keys, and a signal that ends when it is left.

import { dialog, singleFlight } from "./controls.js";
import { errorMessage } from "./display.js";
import { el, fill } from "./dom.js";
import { on } from "./live.js";
import { go } from "./router.js";

/** @typedef {{key: string, text: string, run: (event: KeyboardEvent) => any}} Key `run` returns false to ignore it */

/**
 * The keys of the current view.
 * @type {Key[]}
 */
const viewKeys = [];
const EDITABLE = "input, textarea, select, [contenteditable]";
/** Nielsen's limit for an uninterrupted flow of thought is 1 s; a judgement: from 2 s on, a slow run shows seconds. */
const SHOW_SECONDS_AFTER_MS = 2000;

/** One showing of a view, from navigation to it until navigation away from it. */
export class View {
  /**
   * @param {HTMLElement} main
   * @param {Record<string, string>} parameters those of the route
   * @param {URLSearchParams} query
   * @param {{takesFocus?: boolean}} options whether its heading gets the focus
   */
  constructor(main, parameters, query, { takesFocus = false } = {}) {
    const leaving = new AbortController();
    this.main = main;
    this.parameters = parameters;
    this.query = query;
    this.signal = leaving.signal;
    this.takesFocus = takesFocus;
    this.title = "";
    /** End it: requests are aborted and listeners removed. */
    this.leave = () => leaving.abort();
    viewKeys.splice(0);
  }

  /**
   * Set the heading and the document's title. The first heading after navigation gets the focus, so that keyboard and
   * screen reader users start at the top of the new view.
   * @param {string} title
   * @param {{json?: string | null, tools?: any, filters?: any}} parts the address of its JSON, buttons beside the
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
   * Change parameters of the query in the address, without showing the view again; null removes one.
   * @param {Record<string, string | null>} changes
   */
  setQuery(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value) this.query.set(name, value);
      else this.query.delete(name);
    }
    const { pathname, hash } = location;
    history.replaceState(null, "", `${pathname}${this.query.size ? `?${this.query}` : ""}${hash}`);
  }

  /**
   * Go to another address of the page; with `replace`, Back skips the current one.
   * @param {string} url
   * @param {{replace?: boolean}} [options]
   */
  go(url, options) {
    go(url, options);
  }

  /**
   * Call back when something of a topic has changed, until the view is left.
   * @param {string} topic
   * @param {() => any} callback
   */
  on(topic, callback) {
    on(topic, callback, this.signal);
  }

  /**
   * Add a key of this view; the text is shown in the list of keys.
   * @param {string} key
   * @param {string} text
   * @param {Key["run"]} run
   */
  addKey(key, text, run) {
    viewKeys.push({ key, text, run });
  }

  /**
   * Announce a text to screen readers.
   * @param {string} text
   */
  announce(text) {
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = text;
  }

  /**
   * Show an error in an element, unless it is only that the view was left.
   * @param {HTMLElement} where
   * @param {any} problem
   */
  showError(where, problem) {
    if (problem.name !== "AbortError") fill(where, errorMessage(problem));
  }

  /**
   * Do something that may fail; show the error in an element.
   * @param {HTMLElement} where
   * @param {() => Promise<any>} work
   */
  attempt(where, work) {
    return work().catch((problem) => {
      this.showError(where, problem);
      if (problem.status === undefined && problem.name !== "AbortError") throw problem; // a bug in the page itself
    });
  }

  /**
   * Run something slow that fills an element; until then it shows what is being done and for how long.
   * @param {HTMLElement} place
   * @param {string} activity
   * @param {() => Promise<any>} run
   */
  runWithStatus(place, activity, run) {
    const began = Date.now(), status = el("p.quiet", { role: "status" }, `${activity}…`);
    fill(place, status);
    const seconds = () => Math.round((Date.now() - began) / 1000);
    const show = () => (status.textContent = `${activity}… ${seconds()} s so far.`);
    const timer = setInterval(show, SHOW_SECONDS_AFTER_MS);
    return this.attempt(place, run).finally(() => clearInterval(timer));
  }

  /**
   * Call repeatedly while the tab is visible, and as soon as it becomes visible again; never twice at the same time.
   * @param {number} milliseconds
   * @param {() => any} run
   */
  poll(milliseconds, run) {
    const once = singleFlight(run);
    const runIfVisible = () => document.hidden || once();
    const timer = setInterval(runIfVisible, milliseconds);
    this.signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", runIfVisible, { signal: this.signal });
  }
}

/**
 * Start handling keys: those of the current view, then those given, which work everywhere. `?` lists all of them.
 * @param {...Key} keys
 */
export function handleKeys(...keys) {
  const all = () => [...viewKeys, ...keys, { key: "?", text: "Show the keys", run: showKeys }];
  const showKeys = () => {
    const rows = all().map(({ key, text }) => el("tr", el("td", el("kbd", key)), el("td", text)));
    dialog("Keys", el("table.keys", el("tbody", rows)));
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    const isTyping = event.target instanceof Element && event.target.closest(EDITABLE);
    if (isTyping && event.key !== "Escape" && !hasModifier) return;
    const name = `${hasModifier ? "Ctrl-" : ""}${event.key}`;
    const found = all().find(({ key }) => key === name);
    if (found && found.run(event) !== false) event.preventDefault();
  });
}
