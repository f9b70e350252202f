// The board inside a conversation: the page's own view, in a host that forwards its calls to the server.

import { get } from "./api.js";
import { notify, request, when } from "./host.js";
import { dialog } from "../controls.js";
import { el, fill } from "../dom.js";
import { View, handleKeys } from "../view.js";
import { show } from "../views/board.js";

/** The revision of the MCP Apps specification (`io.modelcontextprotocol/ui`) that this implements. */
const REVISION = "2026-01-26";
/** A judgement: events arrive soon enough for a conversation, at twelve small requests a minute. */
const POLL_MS = 5000;
/** The most events that the server returns at a time. */
const MAX_EVENTS = 200;
/** The smallest height at which a card and its column's head fit. */
const MIN_HEIGHT_PX = 320;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/**
 * What fetches new events, for each feed.
 * @type {Set<() => void>}
 */
const feeds = new Set();
/** @type {AppView | null} */
let shown = null;

/** A view without a page around it: it has no adapplyContext and no event stream. */
class AppView extends View {
  /** @param {Record<string, string | null>} changes */
  setQuery(changes) {
    for (const [name, value] of Object.entries(changes)) value ? this.query.set(name, value) : this.query.delete(name);
  }

  /** @param {string} url */
  go(url) {
    const [path, query] = url.split("?");
    if (path === "/board") showBoard(new URLSearchParams(query));
    else showTask(decodeURIComponent(/** @type {string} */ (path.split("/").at(-1))));
  }

  on() {} // the feed reports every change that the board shows

  /**
   * Call back for new events, which are polled while the document is visible and after each call by the model.
   * @param {string} _path
   * @param {Record<string, (event: any) => void>} callbacks by event name
   * @param {number | string} last the number of the last known event
   */
  feed(_path, callbacks, last = 0) {
    let after = Number(last);
    const poll = async () => {
      if (document.hidden) return;
      const { events } = await get("tasks/taskpilot_events", { after, limit: MAX_EVENTS });
      after = events[0]?.seq ?? after;
      for (const event of events.reverse()) callbacks[`task.${event.type}`]?.(event);
    };
    const pollQuietly = () => poll().catch(() => {}); // the next attempt may succeed
    const timer = setInterval(pollQuietly, POLL_MS);
    feeds.add(pollQuietly);
    return () => (clearInterval(timer), feeds.delete(pollQuietly));
  }
}

/** @param {URLSearchParams} query */
async function showBoard(query) {
  shown?.leave();
  const view = (shown = new AppView(fill(main), {}, query));
  const fail = (/** @type {any} */ problem) => view.signal.aborted || view.showError(main.appendChild(el("div")), problem);
  await show(view).catch(fail);
  main.dataset.ready = "";
}

/** @param {string} id */
async function showTask(id) {
  const { task } = await get("tasks/taskpilot_show", { task_id: id });
  const criteria = (task.criteria ?? []).map((item) => el("li", `${item.checked ? "☑" : "☐"} ${item.text}`));
  dialog(`${id}: ${task.title}`, el("p.as-written", task.description), el("ul", criteria));
}

/**
 * A sandbox may forbid forms and cannot navigate, so both are handled here.
 * @param {MouseEvent} event
 */
function handleClick(event) {
  const target = /** @type {Element} */ (event.target);
  const link = target.closest("a[href]");
  const button = /** @type {HTMLButtonElement | null} */ (target.closest("button[type=submit]"));
  if (link || button) event.preventDefault();
  if (link) shown?.go(link.getAttribute("href") ?? "");
  const submitted = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  if (button?.form?.reportValidity()) button.form.dispatchEvent(submitted);
}

/**
 * Follow the theme and size of the host.
 * @param {{theme?: string, containerDimensions?: {height?: number, maxHeight?: number}}} context
 */
function applyContext({ theme, containerDimensions }) {
  if (theme) document.documentElement.dataset.theme = theme;
  const height = containerDimensions?.height ?? containerDimensions?.maxHeight;
  if (height) document.documentElement.style.setProperty("--height", `${Math.max(height, MIN_HEIGHT_PX)}px`);
}

async function start() {
  const answer = await request("ui/initialize", {
    protocolVersion: REVISION,
    appInfo: { name: "holdfast-board", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  applyContext(answer.hostContext ?? {});
  when("ui/notifications/host-context-changed", applyContext);
  when("ui/notifications/tool-result", () => feeds.forEach((poll) => poll()));
  when("ui/resource-teardown", () => shown?.leave());
  notify("ui/notifications/initialized");
  document.addEventListener("click", handleClick);
  handleKeys();
  const reportSize = () => {
    const { scrollWidth: width, offsetHeight: height } = document.body;
    notify("ui/notifications/size-changed", { width, height });
  };
  new ResizeObserver(reportSize).observe(document.body);
  main.dataset.view = "board";
  await showBoard(new URLSearchParams());
}

start();
