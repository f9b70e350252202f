// What changes, as the server tells it: one stream for the page, closed while nobody looks, replayed on return.

import { apiUrl, get } from "./api.js";

const RECONNECTING_AFTER = 2000;
const news = new EventTarget();
const streams = new Set();

/** A stream that remembers its place, so that nothing is missed between two connections. */
class Stream {
  constructor(path, names, receive, last = null) {
    this.path = path;
    this.names = names;
    this.receive = receive;
    this.last = last;
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {number | undefined} */
    this.retry = undefined;
    streams.add(this);
    this.open();
  }

  open() {
    if (this.source || document.hidden) return;
    // A connection of its own cannot say which event it saw last in a header, so the address does.
    this.source = new EventSource(apiUrl(this.path, { last_event_id: this.last }));
    this.source.onopen = () => report(true);
    this.source.onerror = () => this.lost();
    for (const name of ["ready", ...this.names]) {
      this.source.addEventListener(name, (event) => {
        this.last = event.lastEventId || this.last;
        report(true);
        if (name !== "ready") this.receive(name, JSON.parse(event.data), event.lastEventId);
      });
    }
  }

  lost() {
    report(false);
    if (this.source?.readyState !== EventSource.CLOSED) return;
    this.pause();
    this.retry = setTimeout(() => this.open(), RECONNECTING_AFTER);
    // The stream does not tell why it was refused; any other request does.
    get("health").catch(() => {});
  }

  pause() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  close() {
    this.pause();
    streams.delete(this);
  }
}

/**
 * Call back when something of a topic changed anywhere, until a signal ends it.
 * @param {string} topic
 * @param {() => any} callback
 * @param {AbortSignal} [signal]
 */
export const on = (topic, callback, signal) => news.addEventListener(topic, callback, { signal });

/** Follow a room's own numbered events, by their names, after the one numbered `last`; return what ends it. */
export function feed(path, callbacks, last = null) {
  const stream = new Stream(path, Object.keys(callbacks), (name, data, id) => callbacks[name](data, id), last);
  return () => stream.close();
}

/** Begin; `show` is told whether the stream stands. */
export function begin(show) {
  shown = show;
  new Stream("events", ["changed"], (_name, { topic }) => news.dispatchEvent(new Event(topic)));
  document.addEventListener("visibilitychange", () => {
    for (const stream of streams) document.hidden ? stream.pause() : stream.open();
  });
  const pauseAll = () => streams.forEach((stream) => stream.pause());
  addEventListener("pagehide", pauseAll);
  document.addEventListener("signed-out", pauseAll); // until somebody looks again
}

/** @type {(isConnected: boolean) => void} */
let shown = () => {};
/** @type {number | undefined} */
let waiting;

function report(standing) {
  if (standing) {
    clearTimeout(waiting);
    waiting = undefined;
    shown(true);
  } else {
    waiting ??= setTimeout(() => shown(false), RECONNECTING_AFTER);
  }
}
