// What a view gets: a place to fill, its part of the address, and listeners that end with it.

import { el, fill } from "./dom.js";
import { on } from "./live.js";
import { addViewKey, clearViewKeys } from "./keys.js";
import { go } from "./router.js";

/** One showing of one view. */
export class View {
  constructor(main, parameters, query) {
    this.main = main;
    this.parameters = parameters;
    this.query = query;
    this.leaving = new AbortController();
    this.signal = this.leaving.signal;
    clearViewKeys();
  }

  /** End the showing: what it asked is dropped, what it listened to is forgotten. */
  leave() {
    this.leaving.abort();
  }

  /** Give the view its title, a link to its JSON, buttons beside it and filters below it. */
  heading(title, { json = null, tools = [], filters = null } = {}) {
    document.title = `${title} · Holdfast`;
    const link = json && el("a", { class: "button plain", href: json, target: "_blank", rel: "noopener" }, "JSON");
    const line = el("div", { class: "title row" }, el("h1", {}, title), el("div", { class: "tools row" }, tools, link));
    const header = el("header", { class: "heading" }, line, filters && el("div", { class: "filters" }, filters));
    this.main.querySelector(":scope > .heading")?.remove();
    this.main.prepend(header);
    return header;
  }

  /** Change parts of the query in the address; null takes one out. Nothing is shown anew by it. */
  setQuery(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === "") this.query.delete(name);
      else this.query.set(name, value);
    }
    const text = this.query.toString();
    history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
  }

  /** Go to another address; `{replace: true}` leaves no step for Back. */
  go(url, options) {
    go(url, options);
  }

  /** Call back when something of a topic changed, until the view is left. */
  on(topic, callback) {
    const stop = on(topic, callback);
    this.signal.addEventListener("abort", stop);
    return stop;
  }

  /** Add a key of this view. */
  key(name, text, run) {
    addViewKey(name, text, run);
  }

  /** Say something to those who cannot see it. */
  announce(text) {
    document.getElementById("announcer").textContent = text;
  }

  /** Show a failure at the place where the thing is. */
  fail(where, problem) {
    if (problem?.name === "AbortError") return;
    fill(where, failure(problem));
  }

  /** Do something that may fail; its failure is shown at the place where the thing is. */
  attempt(where, work) {
    return work().catch((problem) => {
      this.fail(where, problem);
      if (problem.status === undefined && problem.name !== "AbortError") throw problem; // a fault of the page itself
    });
  }

  /** Call back every so often while somebody looks, and at once when they look again. */
  every(milliseconds, run) {
    const look = () => document.hidden || run();
    const clock = setInterval(look, milliseconds);
    this.signal.addEventListener("abort", () => clearInterval(clock));
    document.addEventListener("visibilitychange", look, { signal: this.signal });
  }
}

/** Return a failure in words, with what to do. */
export function failure(problem) {
  return el("div", { class: "problem", role: "alert" }, el("strong", {}, problem.message), problem.hint ? el("p", {}, problem.hint) : null);
}

/** Return what an empty place says: what belongs there, and what brings it. */
export function empty(text, ...next) {
  return el("div", { class: "empty" }, el("p", {}, text), next);
}
