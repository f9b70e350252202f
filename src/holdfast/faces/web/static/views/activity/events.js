// The events of tasks, issues, remarks and notes, read page by page and merged by time.

import { get, ifInitialised } from "../../api.js";
import { quiet } from "../../display.js";
import { el } from "../../dom.js";
import { codeLink } from "../../links.js";
import { DAY_MS } from "../../time.js";
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

/** The age in days of the notes on the first page; a judgement. Notes have no cursor, so the next page has all. */
const FIRST_PAGE_DAYS = 30;
/** The cursor of the page with all notes. */
const ALL = "all";
/** The number of events that are requested at a time; a judgement: about two screens. */
const EVENTS_PER_PAGE = 50;
/** The number of remarks that are loaded; they have no pages. A judgement: several weeks of remarks. */
const MAX_REMARKS = 200;
/** The number of notes that are loaded at a time; a judgement: more than most repositories have. */
const MAX_NOTES = 1000;
/** A judgement: an excerpt that fits on two lines. */
const MAX_EXCERPT_CHARACTERS = 160;
/** The text of an issue's event before the issue. */
const EVENT_TEXTS = { create: "added ", comment: "commented on " };

/** @param {string | undefined} text */
const excerpt = (text) => (text ? quiet(` — ${text.replace(/\s+/g, " ").slice(0, MAX_EXCERPT_CHARACTERS)}`) : null);
/** @param {{actor: string}} event */
const authorName = (event) => event.actor.replace(/ <[^>]*>$/, "");

/**
 * Return the times of the first and last event of a page.
 * @param {any[]} events
 * @param {string} time the field that contains the time
 */
const timeSpan = (events, time) => ({ newest: events[0]?.[time], until: events.at(-1)?.[time] });

/**
 * The rooms that have events, with the name of an event and a function that reads a page of events.
 * @type {Record<string, {name: string, icon: string,
 *   page(filters: Filters, options: {signal: AbortSignal}): Promise<Page>}>}
 */
export const ROOMS = {
  tasks: {
    name: "Task", icon: "task",
    async page({ actor, task, file, cursor }, options) {
      const query = { limit: EVENTS_PER_PAGE, actor, task_id: task, connected_file: file, cursor };
      const response = await get("tasks/taskpilot_events", query, options);
      const subject = ({ task_id: id, title = "" }) =>
        (id ? el("a", { href: `/task/${id}` }, `${id} ${title}`) : "the workspace");
      return { next: response.next_cursor, ...timeSpan(response.events, "at"), events: response.events.map((event) => ({
        key: `t${event.seq}`, at: event.at, order: event.seq, actor: event.actor,
        line: () => [describeEvent(event, subject(event)), excerpt(event.reason)],
      })) };
    },
  },
  milestones: {
    name: "Issue", icon: "issues",
    async page({ actor, task, file, cursor }, options) {
      if (task || file) return { events: [] };
      const response = await get("milestones/git_mile_log", { limit: EVENTS_PER_PAGE, cursor }, options);
      const events = response.events.filter((event) => !actor || authorName(event) === actor);
      const items = await findByIds(events.map((event) => event.entity), options.signal);
      const link = ({ entity: id }) => {
        const { kind, title = id.slice(0, 8) } = items.get(id) ?? {};
        return el("a", { href: entityAddress(kind, id) }, title);
      };
      return { next: response.nextCursor, ...timeSpan(response.events, "ts"), events: events.map((event) => ({
        key: `i${event.id}`, at: event.ts, order: event.id, actor: authorName(event),
        line: () => [EVENT_TEXTS[event.action] ?? `${event.action} ${event.field ?? ""} of `, link(event),
          event.action !== "create" && excerpt(event.value)],
      })) };
    },
  },
  inbox: {
    name: "Remark", icon: "remark",
    async page({ actor, task, file }, options) {
      if (task) return { events: [] };
      const response = await get("inbox/list_messages", { newest: true, limit: MAX_REMARKS }, options);
      const matches = (remark) => (!actor || remark.author === actor) && (!file || remark.file === file);
      return { events: response.messages.filter(matches).map((remark) => ({
        key: `m${remark.id}`, at: remark.time, order: remark.id, actor: remark.author,
        line: () => ["left a remark on ", codeLink(remark.file, parseInt(remark.line, 10)),
          excerpt(remark.comment), remark.replies > 0 && quiet(` (${remark.replies} answered)`)],
      })) };
    },
  },
  comments: {
    name: "Note", icon: "note",
    async page({ actor, task, file, cursor }, options) {
      if (task) return { events: [] };
      const since = cursor ? null : new Date(Math.floor(Date.now() / DAY_MS - FIRST_PAGE_DAYS) * DAY_MS).toISOString();
      const response = await get("comments/list_comments", { file, author: actor, since, limit: MAX_NOTES }, options);
      return { next: since && ALL, until: since ?? undefined, events: response.comments.map((note) => ({
        key: `c${note.filePath}#${note.id}`, at: note.created, order: note.id, actor: note.author,
        line: () => ["wrote a note on ", codeLink(note.filePath, note.line), excerpt(note.text)],
      })) };
    },
  },
};

/** The events of one room that have been read so far. */
export class RoomEvents {
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
    /** The time of the newest event. */
    this.newest = -Infinity;
    /** All events after this time have been read. */
    this.until = Infinity;
    /** @type {Promise<string[]>} the last call of `readNewPages` */
    this.reading = Promise.resolve([]);
  }

  /** Read the next older page. */
  async readOlder() {
    const page = await this.read(this.next);
    this.next = page.next ?? null;
    this.until = Date.parse(page.until ?? "");
  }

  /** Read new events after earlier reads have ended: two reads at once would report the same events as new. */
  readNewer() {
    this.reading = this.reading.catch(() => []).then(() => this.readNewPages());
    return this.reading;
  }

  /** Read pages back to the newest known event; return the keys of the new events. */
  async readNewPages() {
    /** @type {string[]} */
    const keys = [];
    const newestKnown = this.newest;
    /** @type {string | null | undefined} */
    let next = null;
    let until = "";
    do {
      const page = await this.read(next);
      keys.push(...page.newKeys);
      next = page.next;
      until = page.until ?? "";
    } while (next && next !== ALL && Date.parse(until) >= newestKnown);
    return keys;
  }

  /**
   * Read a page; the result has the keys of the events that are new.
   * @param {string | null | undefined} cursor
   */
  async read(cursor) {
    /** @type {Page} */
    const page = await ifInitialised(ROOMS[this.room].page({ ...this.filters, cursor }, this), { events: [] });
    const newKeys = page.events.map((event) => event.key).filter((key) => !this.events.has(key));
    for (const event of page.events) this.events.set(event.key, { ...event, room: this.room });
    this.newest = Math.max(this.newest, Date.parse(page.newest ?? "") || -Infinity);
    return { ...page, newKeys };
  }
}

/**
 * Merge the events of some rooms, newest first. The list ends where a room may have events that have not been read.
 * @param {RoomEvents[]} sources
 */
export function mergeEvents(sources) {
  const horizon = Math.max(...sources.map((source) => (source.next ? source.until : -Infinity)));
  return sources.flatMap((source) => [...source.events.values()])
    .filter((event) => Date.parse(event.at) >= horizon)
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || (other.order > one.order ? 1 : -1));
}
