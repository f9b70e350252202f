// Activity: what happened in four rooms, read page by page and shown one line each, and who is at work.

import { apiUrl, get, orNone } from "../api.js";
import { ago, button, choice, codeLink, el, empty, fill, primary, quiet } from "../dom.js";
import { agentItem, agents, told } from "./activity/agents.js";
import { named, place } from "./issues/parts.js";

const DAY_MS = 86_400_000;
const TOP = 80; // as far as this from the top somebody still looks at the newest

export async function show(view) {
  const feed = new Feed(view);
  const people = el("ul.plain-list.stack.people");
  view.heading("Activity", { json: apiUrl("tasks/taskpilot_events", { limit: 50 }), filters: feed.filters() });
  view.main.append(el("div.two-columns",
    el("section.stack", { "aria-label": "Events" }, feed.waiting, feed.list, feed.foot),
    el("aside.stack", { "aria-label": "Agents" }, el("h2", "Agents"), people)));
  const command = el("pre", "holdfast tasks next");
  const nobody = empty("Nobody is at work. An agent shows up here when it takes a task:", command);
  const showAgents = () => view.attempt(people, async () => {
    const found = await agents(view.signal);
    fill(people, found.length ? found.map(agentItem) : el("li", nobody));
  });
  for (const room of Object.keys(READERS)) view.on(room, () => feed.news(room));
  view.on("tasks", showAgents);
  await Promise.all([feed.load(), showAgents()]);
  view.key("r", "Show the new ones", () => feed.showWaiting());
}

class Feed {
  constructor(view) {
    Object.assign(this, { view, sources: [], fresh: new Set() });
    this.list = el("ol.plain-list.feed");
    this.foot = el("div.stack.foot");
    this.waiting = el("div.waiting");
    const scrolled = () => this.atTop() && this.fresh.size && this.showWaiting();
    view.main.addEventListener("scroll", scrolled, { signal: view.signal });
  }

  filters() {
    const { query } = this.view;
    const change = (name, value) => {
      this.view.setQuery({ [name]: value.trim() });
      this.load();
    };
    const field = (name, label, more) => el("input", {
      "aria-label": label, placeholder: label, value: query.get(name) ?? "", ...more,
      on: { change: ({ target }) => change(name, target.value) },
    });
    this.actors = el("datalist", { id: "actors" });
    const rooms = Object.entries(READERS).map(([room, { name }]) => [room, `${name}s`]);
    return [choice("Room", [["", "All rooms"], ...rooms], query.get("room"), (value) => change("room", value)),
      field("actor", "Who", { list: "actors" }), field("about", "Task or file"), this.actors];
  }

  wanted() {
    const about = this.view.query.get("about");
    const task = /^tp-\d+$/i.test(about ?? "") ? about.toUpperCase() : null;
    return { actor: this.view.query.get("actor"), task, file: task ? null : about };
  }

  async load() {
    const only = this.view.query.get("room");
    const rooms = Object.keys(READERS).filter((room) => !only || room === only);
    const sources = rooms.map((room) => new Source(room, this.wanted(), this.view.signal));
    this.sources = sources;
    this.fresh.clear();
    fill(this.list);
    await this.view.attempt(this.foot, async () => {
      await Promise.all(sources.map((source) => source.older()));
      // Nothing of late does not mean nothing at all.
      const more = sources.filter((source) => source.next);
      if (!merged(sources).length) await Promise.all(more.map((source) => source.older()));
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
    fill(this.waiting, text && primary(text, () => this.showWaiting()));
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
      if (at.toDateString() !== day) nodes.push(el("li.day", el("h2", dayName(at))));
      day = at.toDateString();
      const minute = `${event.at.slice(0, 16)} ${event.actor}`;
      if (minute !== group) {
        lines = el("ul.plain-list");
        nodes.push(el("li.group", ago(event.at), el("strong.one-line", { title: event.actor }, event.actor), lines));
      }
      group = minute;
      const said = el("span", event.line());
      said.title = said.textContent;
      const look = fresh.has(event.key) && "fresh";
      const tag = el("span.tag", READERS[event.room].name);
      lines.append(el("li", { class: look, dataset: { key: event.key } }, tag, said));
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
    const nothing = this.view.query.size
      ? empty("No event fits these filters.", el("a.button", { href: "/activity" }, "Show all"))
      : empty("Nothing happened yet. Tasks, issues, remarks and notes show up here as they change.",
        el("pre", 'holdfast tasks add "…"'));
    fill(this.foot, count ? null : nothing,
      more.length > 0 && button("Older", () => this.view.attempt(this.foot, older), { class: "button older" }));
  }
}

function dayName(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  return ["Today", "Yesterday"][days] ?? date.toLocaleDateString(undefined, { dateStyle: "full" });
}

const FIRST_DAYS = 30;
const ALL = "all";

const because = (text) => text ? quiet(` — ${text.replace(/\s+/g, " ").slice(0, 160)}`) : null;
const author = (event) => event.actor.replace(/ <[^>]*>$/, "");
const DEEDS = { create: "added ", comment: "commented on " };

/** Return when the first and the last event of a page were, also of those that a filter leaves out. */
const span = (events, time) => ({ newest: events[0]?.[time], until: events.at(-1)?.[time] });

const READERS = {
  tasks: {
    name: "Task",
    async page({ actor, task, file, cursor }, options) {
      const query = { limit: 50, actor, task_id: task, connected_file: file, cursor };
      const found = await get("tasks/taskpilot_events", query, options);
      const subject = ({ task_id: id, title = "" }) =>
        (id ? el("a", { href: `/task/${id}` }, `${id} ${title}`) : "the workspace");
      return { next: found.next_cursor, ...span(found.events, "at"), events: found.events.map((event) => ({
        key: `t${event.seq}`, at: event.at, order: event.seq, actor: event.actor,
        line: () => [told(event, subject(event)), because(event.reason)],
      })) };
    },
  },
  milestones: {
    name: "Issue",
    async page({ actor, task, file, cursor }, options) {
      if (task || file) return { events: [] };
      const found = await get("milestones/git_mile_log", { limit: 50, cursor }, options);
      const wanted = found.events.filter((event) => !actor || author(event) === actor);
      const known = await named(wanted.map((event) => event.entity), options.signal);
      const link = ({ entity: id }) => {
        const { kind, title = id.slice(0, 8) } = known.get(id) ?? {};
        return el("a", { href: place(kind, id) }, title);
      };
      return { next: found.nextCursor, ...span(found.events, "ts"), events: wanted.map((event) => ({
        key: `i${event.id}`, at: event.ts, order: event.id, actor: author(event),
        line: () => [DEEDS[event.action] ?? `${event.action} ${event.field ?? ""} of `, link(event),
          event.action !== "create" && because(event.value)],
      })) };
    },
  },
  inbox: {
    name: "Remark",
    async page({ actor, task, file }, options) {
      if (task) return { events: [] };
      const found = await get("inbox/list_messages", { newest: true, limit: 200 }, options);
      const fits = (item) => (!actor || item.author === actor) && (!file || item.file === file);
      const wanted = found.messages.filter(fits);
      return { events: wanted.map((item) => ({
        key: `m${item.id}`, at: item.time, order: item.id, actor: item.author ?? "somebody",
        line: () => ["left a remark on ",
          item.file === "." ? "the repository" : codeLink(item.file, parseInt(item.line, 10)),
          because(item.comment), item.replies > 0 && quiet(` (${item.replies} answered)`)],
      })) };
    },
  },
  comments: {
    name: "Note",
    async page({ actor, task, file, cursor }, options) {
      if (task) return { events: [] };
      const since = cursor ? null : new Date(Math.floor(Date.now() / DAY_MS - FIRST_DAYS) * DAY_MS).toISOString();
      const found = await get("comments/list_comments", { file, author: actor, since, limit: 1000 }, options);
      return { next: since && ALL, until: since, events: found.comments.map((note) => ({
        key: `c${note.filePath}#${note.id}`, at: note.created, order: note.id, actor: note.author,
        line: () => ["wrote a note on ", codeLink(note.filePath, note.line), because(note.text)],
      })) };
    },
  },
};

/** One room's events as far as they were read. */
class Source {
  constructor(room, filters, signal) {
    Object.assign(this, { room, filters, signal, events: new Map(), next: null, newest: -Infinity, until: Infinity });
  }

  async older() {
    const page = await this.read(this.next);
    this.next = page.next ?? null;
    this.until = Date.parse(page.until);
  }

  /** Read what is new, page by page back to what was there before; return the keys of it. */
  async newer() {
    const [found, before] = [[], this.newest];
    let page = { next: null };
    do {
      page = await this.read(page.next);
      found.push(...page.fresh);
    } while (page.next && page.next !== ALL && Date.parse(page.until) >= before);
    return found;
  }

  async read(cursor) {
    const asked = READERS[this.room].page({ ...this.filters, cursor }, this);
    const page = await orNone(asked, { events: [] });
    const fresh = page.events.map((event) => event.key).filter((key) => !this.events.has(key));
    for (const event of page.events) this.events.set(event.key, { ...event, room: this.room });
    this.newest = Math.max(this.newest, Date.parse(page.newest) || -Infinity);
    return { ...page, fresh };
  }
}

/** Return the events of some sources that no unread page can come before, newest first. */
function merged(sources) {
  const horizon = Math.max(...sources.map((source) => (source.next ? source.until : -Infinity)));
  return sources.flatMap((source) => [...source.events.values()])
    .filter((event) => Date.parse(event.at) >= horizon)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || (other.order > one.order ? 1 : -1));
}
