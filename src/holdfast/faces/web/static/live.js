// The page's one event stream: changes of topics, and the feeds that views follow.
// It is closed while the page is hidden; missed events are replayed when it opens again.

import { apiUrl, get } from "./api.js";

const RECONNECT_MS = 2000; // how long a lost connection waits, and how long before that is shown
const topics = new EventTarget();
/** @type {Map<string, {callbacks: Record<string, (data: any, id: string) => void>, last: string | null}>} */
const feeds = new Map();

/** @type {EventSource | null} */
let source = null;
let last = ""; // the id of the last change; with the positions of the feeds it makes up the id of an event
/** @type {number | undefined} */
let retry;
let opening = false;
/** @type {(isConnected: boolean) => void} */
let showState = () => {};
/** @type {number | undefined} */
let stateTimer;

/**
 * Call back when something of a topic changed anywhere, until a signal ends it.
 * @param {string} topic
 * @param {() => any} callback
 * @param {AbortSignal} [signal]
 */
export const on = (topic, callback, signal) => topics.addEventListener(topic, callback, { signal });

/**
 * Follow a room's own numbered events, by their names, after the one numbered `last`; return the function that ends
 * it. A path is followed once at a time.
 * @param {string} path
 * @param {Record<string, (data: any, id: string) => void>} callbacks
 * @param {string | number | null} [last]
 */
export function feed(path, callbacks, last = null) {
  const followed = { callbacks, last: last === null ? null : String(last) };
  feeds.set(path, followed);
  reopen();
  return () => {
    if (feeds.get(path) === followed) feeds.delete(path); // the stream drops it when it opens next
  };
}

/**
 * Open the stream; `show` is called with whether it is connected.
 * @param {(isConnected: boolean) => void} show
 */
export function start(show) {
  showState = show;
  open();
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  document.addEventListener("signed-out", close); // until the page is shown again
}

function open() {
  if (source || document.hidden) return;
  const paths = [...feeds.keys()], followed = [...feeds.values()];
  // A new EventSource cannot set the Last-Event-ID header, so the id is part of the address.
  const id = [last, ...followed.map((one) => one.last ?? "")].join("~");
  const opened = (source = new EventSource(apiUrl("events", { feed: paths, last_event_id: id.replace(/^~*$/, "") })));
  opened.onopen = () => report(true);
  opened.onerror = lost;
  const listen = (/** @type {string} */ name, /** @type {(data: any, positions: string[]) => void} */ receive) =>
    opened.addEventListener(name, (event) => {
      const [change, ...positions] = event.lastEventId.split("~");
      last = change || last;
      followed.forEach((one, number) => (one.last = positions[number] || one.last));
      report(true);
      receive(JSON.parse(event.data), positions);
    });
  listen("ready", () => {});
  listen("changed", ({ topic }) => topics.dispatchEvent(new Event(topic)));
  followed.forEach(({ callbacks }, number) => {
    for (const [name, callback] of Object.entries(callbacks)) {
      listen(name, (data, positions) => {
        if (feeds.get(paths[number])?.callbacks === callbacks) callback(data, positions[number]);
      });
    }
  });
}

function close() {
  clearTimeout(retry);
  source?.close();
  source = null;
}

/** Open the stream anew, once for all feeds that are added together. */
function reopen() {
  if (opening) return;
  opening = true;
  queueMicrotask(() => {
    opening = false;
    close();
    open();
  });
}

function lost() {
  report(false);
  if (source?.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
  close();
  retry = setTimeout(open, RECONNECT_MS);
  // A stream does not say why it was refused; any other request does.
  get("health").catch(() => {});
}

/** @param {boolean} connected */
function report(connected) {
  if (connected) {
    clearTimeout(stateTimer);
    stateTimer = undefined;
    showState(true);
  } else {
    stateTimer ??= setTimeout(() => showState(false), RECONNECT_MS);
  }
}
