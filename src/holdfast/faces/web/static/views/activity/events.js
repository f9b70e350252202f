// The events of each room, read page by page and merged by time.

import { get, ifInitialised } from "../../api.js";
import { quiet } from "../../display.js";
import { el } from "../../dom.js";
import { codeLink } from "../../links.js";
import { findByIds, entityAddress } from "../issues/entity.js";
import { describeEvent } from "./agents.js";

/**
 * An event as the view shows it.
 * @typedef {{key: string, at: string, order: any, actor: string, line: () => any, room: string}} Event
 */

/**
 * A page of events: `next` is the cursor of the next page; `newest` and `until` are the times of its first and last
 * event, including those that a filter leaves out.
 * @typedef {{events: Omit<Event, "room">[], next?: string | null, newest?: string, until?: string}} Page
 */

/** @typedef {{actor: string | null, task: string | null, file: string | null, cursor?: string | null}} Filters */

const DAY_MS = 86_400_000;
/** Notes have no cursor: at first those of so many days are read, then all; a judgement. */
const FIRST_DAYS = 30;
const ALL = "all";
/** A judgement: an excerpt that fits on two lines. */
const EXCERPT = 160;

/** @param {string | undefined} text */
const excerpt = (text) => (text ? quiet(` — ${text.replace(/\s+/g, " ").slice(0, EXCERPT)}`) : null);
/** @param {{actor: string}} event */
const authorName = (event) => event.actor.replace(/ <[^>]*>$/, "");
const VERBS = { create: "added ", comment: "commented on " };

/**
 * @param {any[]} events
 * @param {string} time the field that holds the time
 */
const span = (events, time) => ({ newest: events[0]?.[time], until: events.at(-1)?.[time] });

/**
 * How to read the events of each room.
 * @type {Record<string, {name: string, page(filters: Filters, options: {signal: AbortSignal}): Promise<Page>}>}
 */
export const ROOMS = {
  tasks: {
    name: "Task",
    async page({ actor, task, file, cursor }, options) {
      const query = { limit: 50, actor, task_id: task, connected_file: file, cursor };
      const found = await get("tasks/taskpilot_events", query, options);
      const subject = ({ task_id: id, title = "" }) =>
        (id ? el("a", { href: `/task/${id}` }, `${id} ${title}`) : "the workspace");
      return { next: found.next_cursor, ...span(found.events, "at"), events: found.events.map((event) => ({
        key: `t${event.seq}`, at: event.at, order: event.seq, actor: event.actor,
        line: () => [describeEvent(event, subject(event)), excerpt(event.reason)],
      })) };
    },
  },
  milestones: {
    name: "Issue",
    async page({ actor, task, file, cursor }, options) {
      if (task || file) return { events: [] };
      const found = await get("milestones/git_mile_log", { limit: 50, cursor }, options);
      const events = found.events.filter((event) => !actor || authorName(event) === actor);
      const known = await findByIds(events.map((event) => event.entity), options.signal);
      const link = ({ entity: id }) => {
        const { kind, title = id.slice(0, 8) } = known.get(id) ?? {};
        return el("a", { href: entityAddress(kind, id) }, title);
      };
      return { next: found.nextCursor, ...span(found.events, "ts"), events: events.map((event) => ({
        key: `i${event.id}`, at: event.ts, order: event.id, actor: authorName(event),
        line: () => [VERBS[event.action] ?? `${event.action} ${event.field ?? ""} of `, link(event),
          event.action !== "create" && excerpt(event.value)],
      })) };
    },
  },
  inbox: {
    name: "Remark",
    async page({ actor, task, file }, options) {
      if (task) return { events: [] };
      const found = await get("inbox/list_messages", { newest: true, limit: 200 }, options);
      const matches = (remark) => (!actor || remark.author === actor) && (!file || remark.file === file);
      return { events: found.messages.filter(matches).map((remark) => ({
        key: `m${remark.id}`, at: remark.time, order: remark.id, actor: remark.author ?? "somebody",
        line: () => ["left a remark on ",
          remark.file === "." ? "the repository" : codeLink(remark.file, parseInt(remark.line, 10)),
          excerpt(remark.comment), remark.replies > 0 && quiet(` (${remark.replies} answered)`)],
      })) };
    },
  },
  comments: {
    name: "Note",
    async page({ actor, task, file, cursor }, options) {
      if (task) return { events: [] };
      const since = cursor ? null : new Date(Math.floor(Date.now() / DAY_MS - FIRST_DAYS) * DAY_MS).toISOString();
      const found = await get("comments/list_comments", { file, author: actor, since, limit: 1000 }, options);
      return { next: since && ALL, until: since ?? undefined, events: found.comments.map((note) => ({
        key: `c${note.filePath}#${note.id}`, at: note.created, order: note.id, actor: note.author,
        line: () => ["wrote a note on ", codeLink(note.filePath, note.line), excerpt(note.text)],
      })) };
    },
  },
};

/** The events of one room that have been read so far. */
export class Source {
  /**
   * @param {string} room
   * @param {Filters} filters
   * @param {AbortSignal} signal
   */
  constructor(room, filters, signal) {
    this.room = room;
    this.filters = filters;
    this.signal = signal;
    /** @type {Map<string, Event>} by key */
    this.events = new Map();
    /** @type {string | null} the cursor of the next older page */
    this.next = null;
    this.newest = -Infinity;
    /** All events after this time have been read. */
    this.until = Infinity;
    /** @type {Promise<string[]>} the last read of new events */
    this.reading = Promise.resolve([]);
  }

  /** Read the next older page. */
  async readOlder() {
    const page = await this.read(this.next);
    this.next = page.next ?? null;
    this.until = Date.parse(page.until ?? "");
  }

  /** Read new events once earlier reads have ended; two at once would both report the same events as new. */
  readNewer() {
    this.reading = this.reading.catch(() => []).then(() => this.readNewPages());
    return this.reading;
  }

  /** Read pages back to the newest known event; return the keys of the new events. */
  async readNewPages() {
    /** @type {string[]} */
    const found = [];
    const before = this.newest;
    /** @type {string | null | undefined} */
    let next = null;
    let until = "";
    do {
      const page = await this.read(next);
      found.push(...page.fresh);
      next = page.next;
      until = page.until ?? "";
    } while (next && next !== ALL && Date.parse(until) >= before);
    return found;
  }

  /** @param {string | null | undefined} cursor */
  async read(cursor) {
    /** @type {Page} */
    const page = await ifInitialised(ROOMS[this.room].page({ ...this.filters, cursor }, this), { events: [] });
    const fresh = page.events.map((event) => event.key).filter((key) => !this.events.has(key));
    for (const event of page.events) this.events.set(event.key, { ...event, room: this.room });
    this.newest = Math.max(this.newest, Date.parse(page.newest ?? "") || -Infinity);
    return { ...page, fresh };
  }
}

/**
 * Return the events of some sources, newest first, down to where an unread page may have more.
 * @param {Source[]} sources
 */
export function merge(sources) {
  const horizon = Math.max(...sources.map((source) => (source.next ? source.until : -Infinity)));
  return sources.flatMap((source) => [...source.events.values()])
    .filter((event) => Date.parse(event.at) >= horizon)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || (other.order > one.order ? 1 : -1));
}
