// Where events come from: four rooms, read page by page, newest first, as lines of one shape.

import { get, orNone } from "../../api.js";
import { codeLink, quiet } from "../../controls.js";
import { el } from "../../dom.js";
import { named, place } from "../issues/parts.js";
import { told } from "./words.js";

const DAY_MS = 86_400_000;
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
      const subject = ({ task_id: id, title }) => (id ? el("a", { href: `/task/${id}` }, `${id} ${title ?? ""}`) : "the workspace");
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
      const link = ({ entity }) => el("a", { href: place(known.get(entity)?.kind, entity) }, known.get(entity)?.title ?? entity.slice(0, 8));
      return { next: found.nextCursor, ...span(found.events, "ts"), events: wanted.map((event) => ({
        key: `i${event.id}`, at: event.ts, order: event.id, actor: author(event),
        line: () => [DEEDS[event.action] ?? `${event.action} ${event.field ?? ""} of `, link(event), event.action !== "create" && because(event.value)],
      })) };
    },
  },
  inbox: {
    name: "Remark",
    async page({ actor, task, file }, options) {
      if (task) return { events: [] };
      const found = await get("inbox/list_messages", { newest: true, limit: 200 }, options);
      const wanted = found.messages.filter((item) => (!actor || item.author === actor) && (!file || item.file === file));
      return { events: wanted.map((item) => ({
        key: `m${item.id}`, at: item.time, order: item.id, actor: item.author ?? "somebody",
        line: () => ["left a remark on ", item.file === "." ? "the repository" : codeLink(item.file, parseInt(item.line, 10)),
          because(item.comment), item.replies ? quiet(` (${item.replies} answered)`) : null],
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

export const ROOMS = Object.entries(READERS).map(([room, { name }]) => ({ room, name }));

/** One room's events as far as they were read. */
export class Source {
  constructor(room, filters, signal) {
    Object.assign(this, { room, filters, signal, events: new Map(), next: null, newest: -Infinity, until: Infinity });
  }

  /** Read the next older page. */
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
    const page = await orNone(READERS[this.room].page({ ...this.filters, cursor }, { signal: this.signal }), { events: [] });
    const fresh = page.events.map((event) => event.key).filter((key) => !this.events.has(key));
    for (const event of page.events) this.events.set(event.key, { ...event, room: this.room });
    this.newest = Math.max(this.newest, Date.parse(page.newest) || -Infinity);
    return { ...page, fresh };
  }
}

/** Return the events of some sources that no unread page can come before, newest first. */
export function merged(sources) {
  const horizon = Math.max(...sources.map((source) => (source.next ? source.until : -Infinity)));
  return sources.flatMap((source) => [...source.events.values()])
    .filter((event) => Date.parse(event.at) >= horizon)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || (other.order > one.order ? 1 : -1));
}
