// Activity: what happened in every room, one line each, and who is at work.

import { apiUrl } from "../api.js";
import { button, choice } from "../controls.js";
import { el, fill } from "../dom.js";
import { ago } from "../time.js";
import { empty } from "../view.js";
import { agentItem, agents } from "./activity/agents.js";
import { ROOMS, Source, merged } from "./activity/sources.js";

const TOP = 80; // as far as this from the top somebody still looks at the newest

export async function show(view) {
  const feed = new Feed(view);
  const people = el("ul", { class: "plain-list stack people" });
  view.heading("Activity", { json: apiUrl("tasks/taskpilot_events", { limit: 50 }), filters: feed.filters() });
  view.main.append(el("div", { class: "two-columns" },
    el("section", { class: "stack", "aria-label": "Events" }, feed.waiting, feed.list, feed.foot),
    el("aside", { class: "stack", "aria-label": "Agents" }, el("h2", {}, "Agents"), people)));
  const nobody = empty("Nobody is at work. An agent shows up here when it takes a task:", el("pre", {}, "holdfast tasks next"));
  const showAgents = () => view.attempt(people, async () => {
    const found = await agents(view.signal);
    fill(people, found.length ? found.map(agentItem) : el("li", {}, nobody));
  });
  await Promise.all([feed.load(), showAgents()]);
  for (const { room } of ROOMS) view.on(room, () => feed.news(room));
  view.on("tasks", showAgents);
  view.key("r", "Show the new ones", () => feed.showWaiting());
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
    const change = (name, value) => {
      this.view.setQuery({ [name]: value.trim() });
      this.load();
    };
    const field = (name, label, more) => el("input", {
      "aria-label": label, placeholder: label, value: query.get(name) ?? "", on: { change: (event) => change(name, event.target.value) }, ...more,
    });
    this.actors = el("datalist", { id: "actors" });
    const rooms = [["", "All rooms"], ...ROOMS.map(({ room, name }) => [room, `${name}s`])];
    return [choice("Room", rooms, query.get("room"), (value) => change("room", value)),
      field("actor", "Who", { list: "actors" }), field("about", "Task or file"), this.actors];
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
    await this.view.attempt(this.foot, async () => {
      await Promise.all(sources.map((source) => source.older()));
      if (sources === this.sources) this.draw();
    });
  }

  /** Show events that are new in a room: at once to who looks at the newest, else behind a button. */
  async news(room) {
    const source = this.sources.find((item) => item.room === room);
    if (!source) return;
    await this.view.attempt(this.foot, async () => {
      // One after the other: two readers at once would both call the same event new.
      source.reading = (source.reading ?? Promise.resolve()).catch(() => {}).then(() => source.newer());
      const found = await source.reading;
      if (!this.sources.includes(source)) return;
      found.forEach((key) => this.fresh.add(key));
      this.atTop() ? this.showWaiting() : this.drawWaiting();
    });
  }

  atTop() {
    return this.view.main.scrollTop < TOP;
  }

  drawWaiting() {
    const text = this.fresh.size ? `${this.fresh.size} new` : null;
    fill(this.waiting, text && button(text, () => this.showWaiting(), { class: "button primary" }));
    if (text) this.view.announce(text);
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
      const said = el("span", {}, event.line());
      said.title = said.textContent;
      lines.append(el("li", { class: fresh.has(event.key) && "fresh", dataset: { key: event.key } }, el("span", { class: "tag" }, name), said));
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
    const { size } = this.view.query;
    const nothing = size ? empty("No event fits these filters.", el("a", { class: "button", href: "/activity" }, "Show all"))
      : empty("Nothing happened yet. Tasks, issues, remarks and notes show up here as they change.", el("pre", {}, 'holdfast tasks add "…"'));
    fill(this.foot, count ? null : nothing,
      more.length > 0 && button("Older", () => this.view.attempt(this.foot, older), { class: "button older" }));
  }
}

function dayName(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  return ["Today", "Yesterday"][days] ?? date.toLocaleDateString(undefined, { dateStyle: "full" });
}
