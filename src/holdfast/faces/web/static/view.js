// What a view gets: a place to fill, its part of the address, its keys, and listeners that end with it.

import { dialog, el, failure, fill, unhurried } from "./dom.js";
import { on } from "./live.js";
import { go } from "./router.js";

const local = []; // keys of the view that is shown
const EDITABLE = "input, textarea, select, [contenteditable]";
const PATIENCE = 2000;

export class View {
  constructor(main, parameters, query) {
    const leaving = new AbortController();
    Object.assign(this, { main, parameters, query, signal: leaving.signal });
    /** End the showing: what it asked is dropped, what it listened to is forgotten. */
    this.leave = () => leaving.abort();
    local.splice(0);
  }

  /** Give the view its title, a link to its JSON, buttons beside it and filters below it. */
  heading(title, { json = null, tools = [], filters = null } = {}) {
    document.title = `${title} · Holdfast`;
    const link = json && el("a.button.plain", { href: json, target: "_blank", rel: "noopener" }, "JSON");
    const line = el("div.title.row", el("h1", title), el("div.tools.row", tools, link));
    const header = this.main.querySelector(":scope > .heading") ?? el("header.heading");
    if (!header.parentNode) this.main.prepend(header);
    return fill(header, line, filters && el("div.filters", filters));
  }

  /** Change parts of the query in the address; null takes one out. Nothing is shown anew by it. */
  setQuery(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if ((value ?? "") === "") this.query.delete(name);
      else this.query.set(name, value);
    }
    const { pathname, hash } = location;
    history.replaceState(null, "", `${pathname}${this.query.size ? `?${this.query}` : ""}${hash}`);
  }

  /** Go to another address; `{replace: true}` leaves no step for Back. */
  go(url, options) {
    go(url, options);
  }

  /** Call back when something of a topic changed, until the view is left. */
  on(topic, callback) {
    on(topic, callback, this.signal);
  }

  key(name, text, run) {
    local.push({ key: name, text, run });
  }

  /** Say something to those who cannot see it. */
  announce(text) {
    document.getElementById("announcer").textContent = text;
  }

  /** Show a failure at the place where the thing is. */
  fail(where, problem) {
    if (problem.name !== "AbortError") fill(where, failure(problem));
  }

  /** Do something that may fail; its failure is shown at the place where the thing is. */
  attempt(where, work) {
    return work().catch((problem) => {
      this.fail(where, problem);
      if (problem.status === undefined && problem.name !== "AbortError") throw problem; // a fault of the page itself
    });
  }

  /** Run something slow whose result fills a place: say that it runs, and after a while for how long. */
  running(place, doing, run) {
    const began = Date.now(), status = el("p.quiet", { role: "status" }, `${doing}…`);
    fill(place, status);
    const seconds = () => Math.round((Date.now() - began) / 1000);
    const timer = setInterval(() => (status.textContent = `${doing}… for ${seconds()} s now.`), PATIENCE);
    return this.attempt(place, run).finally(() => clearInterval(timer));
  }

  /** Call back every so often while somebody looks, and at once when they look again; never twice at a time. */
  every(milliseconds, run) {
    const once = unhurried(run);
    const look = () => document.hidden || once();
    const clock = setInterval(look, milliseconds);
    this.signal.addEventListener("abort", () => clearInterval(clock));
    document.addEventListener("visibilitychange", look, { signal: this.signal });
  }
}

/** Begin to listen to keys: those of the whole page, then those that the view added. `?` shows them all. */
export function beginKeys(...keys) {
  const all = () => [...local, ...keys, { key: "?", text: "Show the keys", run: showKeys }];
  const showKeys = () => {
    const rows = all().map(({ key, text }) => el("tr", el("td", el("kbd", key)), el("td", text)));
    dialog("Keys", el("table.keys", el("tbody", rows)));
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const isHeld = event.ctrlKey || event.metaKey;
    if (event.target.closest?.(EDITABLE) && event.key !== "Escape" && !isHeld) return;
    const name = `${isHeld ? "Ctrl-" : ""}${event.key}`;
    const found = all().find((entry) => entry.key === name);
    if (found && found.run(event) !== false) event.preventDefault();
  });
}
