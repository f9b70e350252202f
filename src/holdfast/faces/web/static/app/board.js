// The board inside a conversation: the page's own view, shown by a host that passes its calls on to the server.

import { get } from "./api.js";
import { notify, request, when } from "./host.js";
import { dialog, el, fill } from "../dom.js";
import { View, beginKeys } from "../view.js";
import { show } from "../views/board.js";

const REVISION = "2026-01-26";
const EACH = 5000;
const main = document.getElementById("main");
const news = new Set();
let shown = null;

/** The view without a page around it: no address, no stream. */
class AppView extends View {
  setQuery(changes) {
    for (const [name, value] of Object.entries(changes)) value ? this.query.set(name, value) : this.query.delete(name);
  }

  go(url) {
    const [path, query] = url.split("?");
    if (path === "/board") showBoard(new URLSearchParams(query));
    else showTask(decodeURIComponent(path.split("/").at(-1)));
  }

  on() {} // the feed tells enough

  /** Follow what happens by asking for it: each few seconds while somebody looks, and when the model has called. */
  feed(_path, callbacks, last = 0) {
    let after = Number(last);
    const look = async () => {
      if (document.hidden) return;
      const { events } = await get("tasks/taskpilot_events", { after, limit: 200 });
      after = events[0]?.seq ?? after;
      for (const event of events.reverse()) callbacks[`task.${event.type}`]?.(event);
    };
    const quietly = () => look().catch(() => {}); // the next look may succeed
    const timer = setInterval(quietly, EACH);
    news.add(quietly);
    return () => (clearInterval(timer), news.delete(quietly));
  }
}

async function showBoard(query) {
  shown?.leave();
  shown = new AppView(fill(main), {}, query);
  const view = shown;
  const fail = (problem) => view.signal.aborted || view.fail(main.appendChild(el("div")), problem);
  await show(view).catch(fail);
  main.dataset.ready = "";
}

async function showTask(id) {
  const { task } = await get("tasks/taskpilot_show", { task_id: id });
  const criteria = (task.criteria ?? []).map((item) => el("li", `${item.checked ? "☑" : "☐"} ${item.text}`));
  dialog(`${id}: ${task.title}`, el("p.as-written", task.description), el("ul", criteria));
}

// A sandbox may forbid forms and has nowhere to go: both end here.
function clicked(event) {
  const link = event.target.closest("a[href]");
  const button = event.target.closest("button[type=submit]");
  if (link || button) event.preventDefault();
  if (link) shown.go(link.getAttribute("href"));
  const submitted = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  if (button?.form.reportValidity()) button.form.dispatchEvent(submitted);
}

function dress({ theme, containerDimensions }) {
  if (theme) document.documentElement.dataset.theme = theme;
  const height = containerDimensions?.height ?? containerDimensions?.maxHeight;
  if (height) document.documentElement.style.setProperty("--height", `${Math.max(height, 320)}px`);
}

async function begin() {
  const answer = await request("ui/initialize", {
    protocolVersion: REVISION,
    appInfo: { name: "holdfast-board", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  dress(answer.hostContext ?? {});
  when("ui/notifications/host-context-changed", dress);
  when("ui/notifications/tool-result", () => news.forEach((look) => look()));
  when("ui/resource-teardown", () => shown?.leave());
  notify("ui/notifications/initialized");
  document.addEventListener("click", clicked);
  beginKeys();
  const resized = () => {
    const { scrollWidth: width, offsetHeight: height } = document.body;
    notify("ui/notifications/size-changed", { width, height });
  };
  new ResizeObserver(resized).observe(document.body);
  main.dataset.view = "board";
  await showBoard(new URLSearchParams());
}

begin();
