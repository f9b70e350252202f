// Where events come from: four rooms, read page by page, newest first, as lines of one shape.

import { get } from "../../api.js";
import { el } from "../../dom.js";
import { address } from "../../router.js";
import { told } from "./words.js";

const DAY_MS = 86_400_000;
const FIRST_DAYS = 30;
const ALL = "all";

const shortened = (text) => text.replace(/\s+/g, " ").slice(0, 160);
const placed = (file, line) => el("a", { class: "mono", href: `${address("/code", file)}${line ? `#L${line}` : ""}` }, line ? `${file}:${line}` : file);
const named = (event) => event.actor.replace(/ <[^>]*>$/, "");

/** Return the title in what an issue was made of, else the value as it is. */
function titled(value) {
  try {
    return JSON.parse(value).title ?? value;
  } catch {
    return value;
  }
}

/** Return when the first and the last event of a page were, also of those that a filter leaves out. */
const span = (events, time) => ({ newest: events[0]?.[time], until: events.at(-1)?.[time] });

const READERS = {
  tasks: {
    name: "Task",
    included: "every change of every task",
    async page({ actor, task, file, cursor }, options) {
      const query = { limit: 50, actor, task_id: task, connected_file: file, cursor };
      const found = await get("tasks/taskpilot_events", query, options);
      return { next: found.next_cursor, ...span(found.events, "at"), events: found.events.map((event) => ({
        key: `t${event.seq}`, at: event.at, order: event.seq, actor: event.actor,
        line: () => [told(event, event.task_id ? el("a", { href: `/task/${event.task_id}` }, `${event.task_id} ${event.title ?? ""}`) : "the workspace"),
          event.reason ? el("span", { class: "quiet" }, ` — ${shortened(event.reason)}`) : null],
      })) };
    },
  },
  milestones: {
    name: "Issue",
    included: "every change of issues and milestones",
    async page({ actor, task, file, cursor }, options) {
      if (task || file) return { events: [] };
      const found = await get("milestones/git_mile_log", { limit: 50, cursor }, options);
      return { next: found.nextCursor, ...span(found.events, "ts"), events: found.events.filter((event) => !actor || named(event) === actor).map((event) => ({
        key: `i${event.id}`, at: event.ts, order: event.id, actor: named(event),
        line: () => [event.action === "create" ? "added " : `${event.action} ${event.field ?? ""} of `, el("a", { href: `/issues/${encodeURIComponent(event.entity)}` }, event.entity.slice(0, 8)),
          event.value ? el("span", { class: "quiet" }, ` — ${shortened(titled(event.value))}`) : null],
      })) };
    },
  },
  inbox: {
    name: "Remark",
    included: "the newest 200 remarks when they were sent; answers are counted",
    async page({ actor, task, file }, options) {
      if (task) return { events: [] };
      const found = await get("inbox/list_messages", { newest: true, limit: 200 }, options);
      const wanted = found.messages.filter((item) => (!actor || item.author === actor) && (!file || item.file === file));
      return { events: wanted.map((item) => ({
        key: `m${item.id}`, at: item.time, order: item.id, actor: item.author ?? "somebody",
        line: () => ["left a remark on ", item.file === "." ? "the repository" : placed(item.file, parseInt(item.line, 10)),
          el("span", { class: "quiet" }, ` — ${shortened(item.comment)}${item.replies ? ` (${item.replies} answered)` : ""}`)],
      })) };
    },
  },
  comments: {
    name: "Note",
    included: "notes when they were written; later edits are not dated",
    async page({ actor, task, file, cursor }, options) {
      if (task) return { events: [] };
      const since = cursor ? null : new Date(Math.floor(Date.now() / DAY_MS - FIRST_DAYS) * DAY_MS).toISOString();
      const found = await get("comments/list_comments", { file, author: actor, since, limit: 1000 }, options);
      return { next: since && ALL, until: since, events: found.comments.map((note) => ({
        key: `c${note.filePath}#${note.id}`, at: note.created, order: note.id, actor: note.author,
        line: () => ["wrote a note on ", placed(note.filePath, note.line), el("span", { class: "quiet" }, ` — ${shortened(note.text)}`)],
      })) };
    },
  },
};

export const ROOMS = Object.entries(READERS).map(([room, { name, included }]) => ({ room, name, included }));

/** One room's events as far as they were read. */
export class Source {
  constructor(room, filters, signal) {
    Object.assign(this, { room, filters, options: { signal }, events: new Map(), next: null, newest: -Infinity, until: Infinity });
  }

  /** Read the next older page. */
  async older() {
    const page = await this.read(this.next);
    this.added(page);
    this.next = page.next ?? null;
    this.until = Date.parse(page.until);
  }

  /** Read what is new, page by page back to what was there before, and return it. */
  async newer() {
    const [found, before] = [[], this.newest];
    let page = { next: null };
    do {
      page = await this.read(page.next);
      found.push(...this.added(page));
    } while (page.next && page.next !== ALL && Date.parse(page.until) >= before);
    return found;
  }

  async read(cursor) {
    try {
      return await READERS[this.room].page({ ...this.filters, cursor }, this.options);
    } catch (problem) {
      if (problem.kind === "not_initialized") return { events: [] };
      throw problem;
    }
  }

  added(page) {
    const fresh = page.events.filter((event) => !this.events.has(event.key));
    this.newest = Math.max(this.newest, Date.parse(page.newest) || -Infinity);
    for (const event of fresh) this.events.set(event.key, { ...event, room: this.room });
    return fresh.map((event) => this.events.get(event.key));
  }
}

/** Return the events of some sources that no unread page can come before, newest first. */
export function merged(sources) {
  const horizon = Math.max(...sources.map((source) => (source.next ? source.until : -Infinity)));
  return sources.flatMap((source) => [...source.events.values()])
    .filter((event) => Date.parse(event.at) >= horizon)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || (other.order > one.order ? 1 : -1));
}
