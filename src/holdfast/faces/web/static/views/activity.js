// The Activity view: the events of tasks, issues, remarks and notes, and which agents are at work.

import { apiUrl } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { icon } from "../icons.js";
import { person } from "../people.js";
import { DAY_MS, ago } from "../time.js";
import { agentItem, loadAgents } from "./activity/agents.js";
import { ROOMS, RoomEvents, mergeEvents } from "./activity/events.js";

/** @import { View } from "../view.js" */

/** If the user has scrolled less, they see the newest events; a judgement: about two lines. */
const NEAR_TOP_PX = 80;

/** @param {View} view */
export async function show(view) {
  const feed = new Feed(view);
  const people = el("ul.plain-list.stack.people");
  view.setHeading("Activity", { json: apiUrl("tasks/taskpilot_events", { limit: 50 }), filters: feed.filters() });
  view.main.append(el("div.two-columns",
    el("section.stack", { "aria-label": "Events" }, feed.newButtonPlace, feed.list, feed.foot),
    el("aside.stack", { "aria-label": "Agents" }, el("h2", "Agents"), people)));
  const tasks = el("a.button", { href: "/board?ready=true" }, "See the tasks that are ready");
  const none = emptyState("agent", "No agent is at work. An agent is shown here when it claims a task.", tasks);
  const showAgents = () => view.attempt(people, async () => {
    const agents = await loadAgents(view.signal);
    fill(people, agents.length ? agents.map(agentItem) : el("li", none));
  });
  for (const room of Object.keys(ROOMS)) view.on(room, () => feed.readNewer(room));
  view.on("tasks", showAgents);
  await Promise.all([feed.load(), showAgents()]);
  view.addKey("r", "Show new events", () => feed.showNew());
}

/** The list of events. While the user reads older events, new ones are counted on a button that shows them. */
class Feed {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** @type {RoomEvents[]} one for each room */
    this.sources = [];
    /** @type {Set<string>} the keys of new events that are not shown yet */
    this.newKeys = new Set();
    this.list = el("ol.plain-list.feed");
    this.foot = el("div.stack.foot");
    this.newButtonPlace = el("div.waiting");
    this.actors = el("datalist", { id: "actors" });
    view.main.addEventListener("scroll", () => {
      if (this.isAtTop() && this.newKeys.size) this.showNew();
    }, { signal: view.signal });
  }

  /** Return the controls of the filters. */
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
    return [choice("Kind", [["", "All kinds"], ...rooms], query.get("room"), (value) => change("room", value)),
      field("actor", "Who", { list: "actors" }), field("about", "Task or file"), this.actors];
  }

  /** Return the filters of the URL. `about` is a task if it looks like an id, else a file. */
  readFilters() {
    const about = this.view.query.get("about");
    const task = about && /^tp-\d+$/i.test(about) ? about.toUpperCase() : null;
    return { actor: this.view.query.get("actor"), task, file: task ? null : about };
  }

  /** Load the newest events of each room. */
  async load() {
    const only = this.view.query.get("room");
    const rooms = Object.keys(ROOMS).filter((room) => !only || room === only);
    const sources = rooms.map((room) => new RoomEvents(room, this.readFilters(), this.view.signal));
    this.sources = sources;
    this.newKeys.clear();
    fill(this.list);
    await this.view.attempt(this.foot, async () => {
      await Promise.all(sources.map((source) => source.readOlder()));
      // The first pages may be empty although there are older events.
      const unfinished = sources.filter((source) => source.next);
      if (!mergeEvents(sources).length) await Promise.all(unfinished.map((source) => source.readOlder()));
      if (sources === this.sources) this.draw();
    });
  }

  /**
   * Read the new events of a room; show them at once if the user sees the newest events, else offer a button.
   * @param {string} room
   */
  async readNewer(room) {
    const source = this.sources.find((candidate) => candidate.room === room);
    if (!source) return;
    await this.view.attempt(this.foot, async () => {
      const keys = await source.readNewer();
      if (!this.sources.includes(source)) return; // the filters have changed
      for (const key of keys) this.newKeys.add(key);
      if (this.isAtTop()) this.showNew();
      else this.drawNewButton();
    });
  }

  isAtTop() {
    return this.view.main.scrollTop < NEAR_TOP_PX;
  }

  /** Draw the button that shows the new events, if there are any. */
  drawNewButton() {
    const text = this.newKeys.size ? `${this.newKeys.size} new` : null;
    fill(this.newButtonPlace, text && primaryButton(text, () => this.showNew()));
    if (text) this.view.announce(text);
  }

  /** Show the new events and highlight them. */
  showNew() {
    const keys = new Set(this.newKeys);
    this.newKeys.clear();
    this.drawNewButton();
    this.draw(keys);
    if (!this.isAtTop()) this.view.main.scrollTo({ top: 0 });
  }

  /**
   * Draw the events: a heading for each day, a group for each minute and actor.
   * @param {Set<string>} highlighted the keys of events to highlight
   */
  draw(highlighted = new Set()) {
    const events = mergeEvents(this.sources);
    const nodes = [];
    let day = "", group = "";
    let lines = el("ul.plain-list"); // of the current group
    for (const event of events) {
      const date = new Date(event.at);
      if (date.toDateString() !== day) nodes.push(el("li.day", el("h2", dayName(date))));
      day = date.toDateString();
      const minuteAndActor = `${event.at.slice(0, 16)} ${event.actor}`;
      if (minuteAndActor !== group) {
        lines = el("ul.plain-list");
        nodes.push(el("li.group", ago(event.at), el("strong.row", person(event.actor)), lines));
      }
      group = minuteAndActor;
      const line = el("span", event.line());
      line.title = line.textContent ?? "";
      const highlight = highlighted.has(event.key) && "fresh";
      const tag = el("span.tag", icon(ROOMS[event.room].icon), " ", ROOMS[event.room].name);
      lines.append(el("li", { class: highlight, dataset: { key: event.key } }, tag, line));
    }
    fill(this.list, nodes);
    fill(this.actors, [...new Set(events.map((event) => event.actor))].sort().map((value) => el("option", { value })));
    this.drawFoot(events.length);
  }

  /**
   * Draw the button for older events, and an empty state if there are no events.
   * @param {number} count
   */
  drawFoot(count) {
    const unfinished = this.sources.filter((source) => source.next);
    // The list ends where a source may have unread events, so only the sources that end it are read on.
    const horizon = Math.max(...unfinished.map((source) => source.until));
    const showOlder = async () => {
      const next = unfinished.filter((source) => source.until === horizon);
      await Promise.all(next.map((source) => source.readOlder()));
      this.draw();
    };
    const attemptOlder = () => this.view.attempt(this.foot, showOlder);
    const empty = this.view.query.size
      ? emptyState("search", "No event matches these filters.", el("a.button", { href: "/activity" }, "Show all"))
      : emptyState("activity", "Nothing has happened yet. Changes of tasks, issues, remarks and notes are shown here.",
        el("a.button.primary", { href: "/board?new=true" }, "Add a task"));
    fill(this.foot, count ? null : empty,
      unfinished.length > 0 && button("Older", attemptOlder, { class: "button older" }));
  }
}

/** @param {Date} date */
function dayName(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  return ["Today", "Yesterday"][days] ?? date.toLocaleDateString(undefined, { dateStyle: "full" });
}
