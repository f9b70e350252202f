// The Activity view: what happened in four rooms, one line per event, and which agents are at work.

import { apiUrl } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { ago } from "../time.js";
import { agentItem, agents } from "./activity/agents.js";
import { ROOMS, Source, merge } from "./activity/events.js";

/** @import { View } from "../view.js" */

const DAY_MS = 86_400_000;
/** Scrolled less than this, the user is looking at the newest events; a judgement: about two lines. */
const TOP_PX = 80;

/** @param {View} view */
export async function show(view) {
  const feed = new Feed(view);
  const people = el("ul.plain-list.stack.people");
  view.setHeading("Activity", { json: apiUrl("tasks/taskpilot_events", { limit: 50 }), filters: feed.filters() });
  view.main.append(el("div.two-columns",
    el("section.stack", { "aria-label": "Events" }, feed.waiting, feed.list, feed.foot),
    el("aside.stack", { "aria-label": "Agents" }, el("h2", "Agents"), people)));
  const command = el("pre", "holdfast tasks next");
  const none = emptyState("No agent is at work. An agent is shown here when it takes a task:", command);
  const showAgents = () => view.attempt(people, async () => {
    const found = await agents(view.signal);
    fill(people, found.length ? found.map(agentItem) : el("li", none));
  });
  for (const room of Object.keys(ROOMS)) view.on(room, () => feed.readNewer(room));
  view.on("tasks", showAgents);
  await Promise.all([feed.load(), showAgents()]);
  view.addKey("r", "Show new events", () => feed.showWaiting());
}

/** The list of events. New ones wait behind a button while the user reads older ones. */
class Feed {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** @type {Source[]} */
    this.sources = [];
    /** @type {Set<string>} the keys of new events that are not shown yet */
    this.fresh = new Set();
    this.list = el("ol.plain-list.feed");
    this.foot = el("div.stack.foot");
    this.waiting = el("div.waiting");
    this.actors = el("datalist", { id: "actors" });
    const showAtTop = () => this.isAtTop() && this.fresh.size && this.showWaiting();
    view.main.addEventListener("scroll", showAtTop, { signal: view.signal });
  }

  filters() {
    const { query } = this.view;
    const change = (/** @type {string} */ name, /** @type {string} */ value) => {
      this.view.setQuery({ [name]: value.trim() });
      this.load();
    };
    const field = (/** @type {string} */ name, /** @type {string} */ label, more = {}) => el("input", {
      "aria-label": label, placeholder: label, value: query.get(name) ?? "", ...more,
      on: { change: ({ target }) => change(name, target.value) },
    });
    /** @type {[string, string][]} */
    const rooms = Object.entries(ROOMS).map(([room, { name }]) => [room, `${name}s`]);
    return [choice("Room", [["", "All rooms"], ...rooms], query.get("room"), (value) => change("room", value)),
      field("actor", "Who", { list: "actors" }), field("about", "Task or file"), this.actors];
  }

  wanted() {
    const about = this.view.query.get("about");
    const task = about && /^tp-\d+$/i.test(about) ? about.toUpperCase() : null;
    return { actor: this.view.query.get("actor"), task, file: task ? null : about };
  }

  async load() {
    const only = this.view.query.get("room");
    const rooms = Object.keys(ROOMS).filter((room) => !only || room === only);
    const sources = rooms.map((room) => new Source(room, this.wanted(), this.view.signal));
    this.sources = sources;
    this.fresh.clear();
    fill(this.list);
    await this.view.attempt(this.foot, async () => {
      await Promise.all(sources.map((source) => source.readOlder()));
      // The first pages may be empty although there are older events.
      const unfinished = sources.filter((source) => source.next);
      if (!merge(sources).length) await Promise.all(unfinished.map((source) => source.readOlder()));
      if (sources === this.sources) this.draw();
    });
  }

  /**
   * Read the new events of a room; show them at once if the user is looking at the newest, else offer a button.
   * @param {string} room
   */
  async readNewer(room) {
    const source = this.sources.find((one) => one.room === room);
    if (!source) return;
    await this.view.attempt(this.foot, async () => {
      const found = await source.readNewer();
      if (!this.sources.includes(source)) return;
      found.forEach((key) => this.fresh.add(key));
      this.isAtTop() ? this.showWaiting() : this.drawWaiting();
    });
  }

  isAtTop() {
    return this.view.main.scrollTop < TOP_PX;
  }

  drawWaiting() {
    const text = this.fresh.size ? `${this.fresh.size} new` : null;
    fill(this.waiting, text && primaryButton(text, () => this.showWaiting()));
    if (text) this.view.announce(text);
  }

  showWaiting() {
    const fresh = new Set(this.fresh);
    this.fresh.clear();
    this.drawWaiting();
    this.draw(fresh);
    if (!this.isAtTop()) this.view.main.scrollTo({ top: 0 });
  }

  /**
   * Draw the events: a heading for each day, a group for each minute and actor.
   * @param {Set<string>} fresh the keys of events to highlight
   */
  draw(fresh = new Set()) {
    const events = merge(this.sources);
    const nodes = [];
    let day = "", group = "", lines = el("ul.plain-list");
    for (const event of events) {
      const date = new Date(event.at);
      if (date.toDateString() !== day) nodes.push(el("li.day", el("h2", dayName(date))));
      day = date.toDateString();
      const minute = `${event.at.slice(0, 16)} ${event.actor}`;
      if (minute !== group) {
        lines = el("ul.plain-list");
        nodes.push(el("li.group", ago(event.at), el("strong.one-line", { title: event.actor }, event.actor), lines));
      }
      group = minute;
      const line = el("span", event.line());
      line.title = line.textContent ?? "";
      const look = fresh.has(event.key) && "fresh";
      const tag = el("span.tag", ROOMS[event.room].name);
      lines.append(el("li", { class: look, dataset: { key: event.key } }, tag, line));
    }
    fill(this.list, nodes);
    fill(this.actors, [...new Set(events.map((event) => event.actor))].sort().map((value) => el("option", { value })));
    this.drawFoot(events.length);
  }

  /** @param {number} count */
  drawFoot(count) {
    const unfinished = this.sources.filter((source) => source.next);
    // The sources whose unread events may be next hold the others back.
    const horizon = Math.max(...unfinished.map((source) => source.until));
    const older = async () => {
      const next = unfinished.filter((source) => source.until === horizon);
      await Promise.all(next.map((source) => source.readOlder()));
      this.draw();
    };
    const nothing = this.view.query.size
      ? emptyState("No event matches these filters.", el("a.button", { href: "/activity" }, "Show all"))
      : emptyState("Nothing has happened yet. Tasks, issues, remarks and notes are shown here when they change.",
        el("pre", 'holdfast tasks add "…"'));
    fill(this.foot, count ? null : nothing,
      unfinished.length > 0 && button("Older", () => this.view.attempt(this.foot, older), { class: "button older" }));
  }
}

/** @param {Date} date */
function dayName(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  return ["Today", "Yesterday"][days] ?? date.toLocaleDateString(undefined, { dateStyle: "full" });
}
