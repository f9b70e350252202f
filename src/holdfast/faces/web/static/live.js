// The page's only event stream: changes of topics, and the feeds that views follow.
// The stream is closed while the page is hidden; missed events are replayed when it is opened again.

import { apiUrl, get } from "./api.js";

/** The delay before reconnecting, and before a lost connection is shown; a judgement: short ones are not shown. */
const RECONNECT_MS = 2000;
const topics = new EventTarget();
/**
 * The feeds that views follow, by path; `position` is the number of the last known event.
 * @type {Map<string, {callbacks: Record<string, (data: any, id: string) => void>, position: string | null}>}
 */
const feeds = new Map();

/** @type {EventSource | null} */
let source = null;
/** The id of the last change. An event id is this id and the positions of the feeds, joined by "~". */
let lastChangeId = "";
/** @type {number | undefined} */
let reconnectTimer;
let isReopening = false;
/** @type {(isConnected: boolean) => void} */
let showConnection = () => {};
/** @type {number | undefined} the timer after which a lost connection is shown */
let disconnectTimer;

/**
 * Call back on each change of a topic by any process, until a signal aborts.
 * @param {string} topic
 * @param {() => any} callback
 * @param {AbortSignal} [signal]
 */
export const on = (topic, callback, signal) => topics.addEventListener(topic, callback, { signal });

/**
 * Follow the numbered events at a path, after event `last`. A path has one follower at a time.
 * @param {string} path
 * @param {Record<string, (data: any, id: string) => void>} callbacks by event name
 * @param {string | number | null} [last]
 * @returns {() => void} a function that stops following
 */
export function followFeed(path, callbacks, last = null) {
  const feed = { callbacks, position: last === null ? null : String(last) };
  feeds.set(path, feed);
  reopen();
  return () => {
    if (feeds.get(path) === feed) feeds.delete(path); // the next stream is opened without the feed
  };
}

/**
 * Open the stream, and show whenever it is connected or disconnected.
 * @param {(isConnected: boolean) => void} show
 */
export function start(show) {
  showConnection = show;
  open();
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  document.addEventListener("signed-out", close); // it is opened again when the page becomes visible
}

/** Open the stream with all feeds, unless it is open or the page is hidden. */
function open() {
  if (source || document.hidden) return;
  const paths = [...feeds.keys()], openedFeeds = [...feeds.values()];
  // A new EventSource cannot set the Last-Event-ID header, so the id is part of the URL.
  const id = [lastChangeId, ...openedFeeds.map((feed) => feed.position ?? "")].join("~");
  const stream = new EventSource(apiUrl("events", { feed: paths, last_event_id: id.replace(/^~*$/, "") }));
  source = stream;
  stream.onopen = () => setConnected(true);
  stream.onerror = handleError;
  const listen = (/** @type {string} */ name, /** @type {(data: any, positions: string[]) => void} */ receive) =>
    stream.addEventListener(name, (event) => {
      const [changeId, ...positions] = event.lastEventId.split("~");
      lastChangeId = changeId || lastChangeId;
      openedFeeds.forEach((feed, index) => (feed.position = positions[index] || feed.position));
      setConnected(true);
      receive(JSON.parse(event.data), positions);
    });
  const isFirst = !lastChangeId;
  // Files may have changed between the requests of the view and now; other topics are read when their lists are shown.
  listen("ready", () => isFirst && topics.dispatchEvent(new Event("source")));
  listen("changed", ({ topic }) => topics.dispatchEvent(new Event(topic)));
  openedFeeds.forEach((feed, index) => {
    for (const [name, callback] of Object.entries(feed.callbacks)) {
      listen(name, (data, positions) => {
        const isFollowed = feeds.get(paths[index]) === feed;
        if (isFollowed) callback(data, positions[index]);
      });
    }
  });
}

function close() {
  clearTimeout(reconnectTimer);
  source?.close();
  source = null;
}

/** Reopen the stream, once for all feeds that are added in the same task. */
function reopen() {
  if (isReopening) return;
  isReopening = true;
  queueMicrotask(() => {
    isReopening = false;
    close();
    open();
  });
}

/** Reconnect after a delay, unless the browser does so itself. */
function handleError() {
  setConnected(false);
  if (source?.readyState !== EventSource.CLOSED) return;
  close();
  reconnectTimer = setTimeout(open, RECONNECT_MS);
  // An EventSource does not report why the server refused it, such as a missing sign-in; another request does.
  get("health").catch(() => {});
}

/**
 * Show that the stream is connected, or after a delay that it is not.
 * @param {boolean} isConnected
 */
function setConnected(isConnected) {
  if (isConnected) {
    clearTimeout(disconnectTimer);
    disconnectTimer = undefined;
    showConnection(true);
  } else {
    disconnectTimer ??= setTimeout(() => showConnection(false), RECONNECT_MS);
  }
}
