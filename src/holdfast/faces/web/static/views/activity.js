// Activity: what happened in every room, one line each, and who is at work.

import { apiUrl } from "../api.js";
import { el, fill } from "../dom.js";
import { ago } from "../time.js";
import { empty } from "../view.js";
import { agentItem, agents } from "./activity/agents.js";
import { ROOMS, Source, merged } from "./activity/sources.js";

const TOP = 80; // as far as this from the top somebody still looks at the newest

export async function show(view) {
  const feed = new Feed(view);
  const people = el("ul", { class: "plain-list stack people" });
  const asked = { json: apiUrl("tasks/taskpilot_events", { limit: 50 }), filters: feed.filters() };
  view.heading("Activity", asked);
  view.main.append(el("div", { class: "two-columns" },
    el("section", { class: "stack", "aria-label": "Events" }, feed.waiting, feed.list, feed.foot),
    el("aside", { class: "stack", "aria-label": "Agents" }, el("h2", {}, "Agents"), people)));
  await Promise.all([feed.load(), showAgents(view, people)]);
  for (const { room } of ROOMS) view.on(room, () => feed.news(room));
  view.on("tasks", () => showAgents(view, people));
  view.key("r", "Show the new ones", () => feed.showWaiting());
}

async function showAgents(view, people) {
  try {
    const found = await agents(view.signal);
    fill(people, found.length ? found.map(agentItem)
      : el("li", {}, empty("Nobody is at work. An agent shows up here when it takes a task:", el("pre", {}, "holdfast tasks next"))));
  } catch (problem) {
    view.fail(people, problem);
  }
}

class Feed {
  constructor(view) {
    Object.assign(this, { view, sources: [], fresh: new Set() });
    this.list = el("ol", { class: "plain-list feed" });
    this.foot = el("div", { class: "stack foot" });
    this.waiting = el("div", { class: "waiting" });
    view.main.addEventListener("scroll", () => this.atTop() && this.fresh.size && this.showWaiting(), { signal: view.signal });
  }

  filters() {
    const { query } = this.view;
    const change = (name) => (event) => {
      this.view.setQuery({ [name]: event.target.value.trim() });
      this.load();
    };
    this.actors = el("datalist", { id: "actors" });
    const room = el("select", { "aria-label": "Room", on: { change: change("room") } },
      el("option", { value: "" }, "All rooms"), ROOMS.map((item) => el("option", { value: item.room }, `${item.name}s`)));
    room.value = query.get("room") ?? "";
    const field = (name, label, more) => el("input", { "aria-label": label, placeholder: label, value: query.get(name) ?? "", on: { change: change(name) }, ...more });
    return [room, field("actor", "Who", { list: "actors" }), field("about", "Task or file"), this.actors];
  }

  wanted() {
    const about = this.view.query.get("about");
    const task = /^tp-\d+$/i.test(about ?? "") ? about.toUpperCase() : null;
    return { actor: this.view.query.get("actor"), task, file: task ? null : about };
  }

  async load() {
    const only = this.view.query.get("room");
    const rooms = ROOMS.filter(({ room }) => !only || room === only);
    const sources = rooms.map(({ room }) => new Source(room, this.wanted(), this.view.signal));
    this.sources = sources;
    this.fresh.clear();
    fill(this.list);
    await this.guarded(async () => {
      await Promise.all(sources.map((source) => source.older()));
      if (sources === this.sources) this.draw();
    });
  }

  /** Show events that are new in a room: at once to who looks at the newest, else behind a button. */
  async news(room) {
    const source = this.sources.find((item) => item.room === room);
    if (!source) return;
    await this.guarded(async () => {
      // One after the other: two readers at once would both call the same event new.
      source.reading = (source.reading ?? Promise.resolve()).catch(() => {}).then(() => source.newer());
      const found = await source.reading;
      if (!this.sources.includes(source)) return;
      for (const event of found) this.fresh.add(event.key);
      if (this.atTop()) this.showWaiting();
      else if (this.fresh.size) this.drawWaiting();
    });
  }

  async guarded(work) {
    try {
      await work();
    } catch (problem) {
      this.view.fail(this.foot, problem);
    }
  }

  atTop() {
    return this.view.main.scrollTop < TOP;
  }

  drawWaiting() {
    const text = `${this.fresh.size} new`;
    const shown = this.fresh.size && el("button", { class: "button primary", type: "button", on: { click: () => this.showWaiting() } }, text);
    fill(this.waiting, shown || null);
    if (this.fresh.size) this.view.announce(text);
  }

  showWaiting() {
    const fresh = new Set(this.fresh);
    this.fresh.clear();
    this.drawWaiting();
    this.draw(fresh);
    if (!this.atTop()) this.view.main.scrollTo({ top: 0 });
  }

  draw(fresh = new Set()) {
    const events = merged(this.sources);
    const nodes = [];
    let [day, group, lines] = ["", "", null];
    for (const event of events) {
      const at = new Date(event.at);
      if (at.toDateString() !== day) nodes.push(el("li", { class: "day" }, el("h2", {}, dayName(at))));
      day = at.toDateString();
      const minute = `${event.at.slice(0, 16)} ${event.actor}`;
      if (minute !== group) {
        lines = el("ul", { class: "plain-list" });
        nodes.push(el("li", { class: "group" }, ago(event.at), el("strong", { class: "one-line", title: event.actor }, event.actor), lines));
      }
      group = minute;
      const name = ROOMS.find(({ room }) => room === event.room).name;
      lines.append(el("li", { class: fresh.has(event.key) ? "fresh" : null, dataset: { key: event.key } }, el("span", { class: "tag" }, name), said(event.line())));
    }
    fill(this.list, nodes);
    fill(this.actors, [...new Set(events.map((event) => event.actor))].sort().map((value) => el("option", { value })));
    this.drawFoot(events.length);
  }

  drawFoot(count) {
    const more = this.sources.filter((source) => source.next);
    // Those whose unread pages may come next hold the others back.
    const horizon = Math.max(...more.map((source) => source.until));
    const older = async () => {
      await Promise.all(more.filter((source) => source.until === horizon).map((source) => source.older()));
      this.draw();
    };
    const included = ROOMS.filter(({ room }) => this.sources.some((source) => source.room === room));
    const nothing = [...this.view.query.keys()].length ? "No event fits these filters." : "Nothing happened yet. Tasks, issues, remarks and notes show up here as they change.";
    fill(this.foot, count ? null : empty(nothing, this.view.query.size ? el("a", { class: "button", href: "/activity" }, "Show all") : el("pre", {}, 'holdfast tasks add "…"')),
      more.length ? el("button", { class: "button older", type: "button", on: { click: () => this.guarded(older) } }, "Older") : null,
      el("details", { class: "quiet" }, el("summary", {}, "What is included"), el("ul", {}, included.map((item) => el("li", {}, `${item.name}s: ${item.included}.`)))));
  }
}

function said(line) {
  const node = el("span", {}, line);
  node.title = node.textContent;
  return node;
}

function dayName(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  return ["Today", "Yesterday"][days] ?? date.toLocaleDateString(undefined, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
}
