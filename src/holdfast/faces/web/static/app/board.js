// The board inside a conversation: the page's Board view in an MCP host, which forwards its calls to the server.

import { get } from "./api.js";
import { notify, onMessage, request } from "./host.js";
import { dialog } from "../controls.js";
import { el, fill } from "../dom.js";
import { View, changeParameters, handleKeys } from "../view.js";
import { show } from "../views/board.js";

/** The revision of the MCP Apps specification (`io.modelcontextprotocol/ui`) that this module implements. */
const PROTOCOL_VERSION = "2026-01-26";
/** A judgement: soon enough for a conversation, and only twelve small requests a minute. */
const POLL_MS = 5000;
/** The maximum that the server accepts as `limit`. */
const EVENTS_PER_REQUEST = 200;
/** A judgement: enough for the filters, a column heading and a card. */
const MIN_HEIGHT_PX = 320;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/**
 * The functions that poll each feed.
 * @type {Set<() => void>}
 */
const polls = new Set();
/** @type {AppView | null} */
let currentView = null;

/** A view without the page around it: it has no URL and no event stream. */
class AppView extends View {
  /** @param {Record<string, string | null>} changes */
  setQuery(changes) {
    changeParameters(this.query, changes);
  }

  /** @param {string} url */
  go(url) {
    const [path, query] = url.split("?");
    if (path === "/board") showBoard(new URLSearchParams(query));
    else showTask(decodeURIComponent(/** @type {string} */ (path.split("/").at(-1))));
  }

  on() {} // the feed reports every change that the board shows

  /**
   * Call back for new events, which are polled while the document is visible and after each tool call by the model.
   * @param {string} _path
   * @param {Record<string, (event: any) => void>} callbacks by event name
   * @param {number | string} last the number of the last known event
   * @returns {() => void} a function that stops following
   */
  followFeed(_path, callbacks, last = 0) {
    let after = Number(last);
    const poll = async () => {
      if (document.hidden) return;
      const { events } = await get("tasks/taskpilot_events", { after, limit: EVENTS_PER_REQUEST });
      after = events[0]?.seq ?? after;
      for (const event of events.reverse()) callbacks[`task.${event.type}`]?.(event);
    };
    const pollQuietly = () => poll().catch(() => {}); // the next attempt may succeed
    const timer = setInterval(pollQuietly, POLL_MS);
    polls.add(pollQuietly);
    return () => {
      clearInterval(timer);
      polls.delete(pollQuietly);
    };
  }
}

/** @param {URLSearchParams} query */
async function showBoard(query) {
  currentView?.leave();
  const view = new AppView(fill(main), {}, query);
  currentView = view;
  try {
    await show(view);
  } catch (problem) {
    if (!view.signal.aborted) view.showError(main.appendChild(el("div")), problem);
  }
  main.dataset.ready = "";
}

/**
 * Show a task in a dialog.
 * @param {string} id
 */
async function showTask(id) {
  const { task } = await get("tasks/taskpilot_show", { task_id: id });
  const criteria = (task.criteria ?? []).map((item) => el("li", `${item.checked ? "☑" : "☐"} ${item.text}`));
  dialog(`${id}: ${task.title}`, el("p.as-written", task.description), el("ul", criteria));
}

/**
 * Handle links and submit buttons: the sandbox of a host cannot navigate and may forbid forms.
 * @param {MouseEvent} event
 */
function handleClick(event) {
  const target = /** @type {Element} */ (event.target);
  const link = target.closest("a[href]");
  const button = /** @type {HTMLButtonElement | null} */ (target.closest("button[type=submit]"));
  if (link || button) event.preventDefault();
  if (link) currentView?.go(link.getAttribute("href") ?? "");
  const submit = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  if (button?.form?.reportValidity()) button.form.dispatchEvent(submit);
}

/**
 * Apply the theme and the size of the host.
 * @param {{theme?: string, containerDimensions?: {height?: number, maxHeight?: number}}} context
 */
function applyContext({ theme, containerDimensions }) {
  if (theme) document.documentElement.dataset.theme = theme;
  const height = containerDimensions?.height ?? containerDimensions?.maxHeight;
  if (height) document.documentElement.style.setProperty("--height", `${Math.max(height, MIN_HEIGHT_PX)}px`);
}

async function start() {
  const result = await request("ui/initialize", {
    protocolVersion: PROTOCOL_VERSION,
    appInfo: { name: "holdfast-board", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  applyContext(result.hostContext ?? {});
  onMessage("ui/notifications/host-context-changed", applyContext);
  onMessage("ui/notifications/tool-result", () => polls.forEach((poll) => poll()));
  onMessage("ui/resource-teardown", () => currentView?.leave());
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
