// What waits for the user: short lists from each room, and the counts beside Today and Review.

import { get, ifInitialised } from "../../api.js";
import { codeAddress } from "../../links.js";
import { on } from "../../live.js";
import { DONE_REMARKS, isMarked } from "../../storage.js";
import { ago } from "../../time.js";

/**
 * A line of a list: a link with a tag before it and details after it.
 * @typedef {{text: string, href: string, tag?: string | null, detail?: any}} Line
 */

/**
 * A short list of Today.
 * @typedef {object} List
 * @property {string} [name]
 * @property {string} [all] the address that shows all of it
 * @property {string} [topic] what makes it load again
 * @property {string[]} [counts] the views whose counts in the rail include it
 * @property {number} [most] how many lines are shown
 * @property {(signal?: AbortSignal) => Promise<{total: number, lines: any[], more?: boolean}>} load each line is a
 *   `Line` or a node
 */

/** Lines of a list; a judgement: Today then fits on one screen. */
export const MAX_LINES = 7;
/** Lines of a list that is less urgent. */
const FEW_LINES = 3;
const NEWEST = 100;
/** Changes that arrive together are counted once; a judgement. */
const BATCH_MS = 300;

/**
 * Read from the room of tasks; a repository without tasks has empty lists.
 * @param {string} operation
 * @param {Record<string, any>} query
 * @param {AbortSignal} [signal]
 */
export const getTasks = (operation, query, signal) =>
  ifInitialised(get(`tasks/${operation}`, query, { signal }), { tasks: [], events: [], total: 0 });

/**
 * Threads whose last remark has an answer, unless they were marked as done in Review.
 * @type {List["load"]}
 */
async function answers(signal) {
  const { messages } = await get("inbox/list_messages", { newest: true, limit: NEWEST }, { signal });
  const threadOf = ({ id, comment }) => comment.match(/^In reply to (m_\w+):/)?.[1] ?? id;
  const last = new Map(messages.map((remark) => [threadOf(remark), remark]));
  const answered = [...last.values()].filter(({ id, replies }) => replies && !isMarked(DONE_REMARKS, id)).reverse();
  return { total: answered.length, lines: answered.map(remarkLine) };
}

/** @type {List["load"]} */
async function unread(signal) {
  const { messages, total } = await get("inbox/list_messages", { state: "pending", limit: MAX_LINES }, { signal });
  return { total, lines: messages.map(remarkLine) };
}

/**
 * Return a remark without the place and the quoted lines that Review writes above it.
 * @returns {Line}
 */
function remarkLine({ comment, file, time }) {
  const text = comment.replace(/^(About [^\n]+:\n(>[^\n]*\n)*\n|In reply to m_\w+:\n\n)/, "");
  return { text, href: "/review", detail: [file, " · ", ago(time)] };
}

/**
 * @param {Record<string, any>} query
 * @returns {List["load"]}
 */
const tasksMatching = (query) => async (signal) => {
  const page = await getTasks("taskpilot_list", { limit: MAX_LINES, ...query }, signal);
  const line = ({ id, title, priority }) =>
    ({ text: title, href: `/task/${id}`, detail: [id, priority === "high" && " · high"] });
  return { total: page.total, lines: page.tasks.map(line) };
};

/** @type {List["load"]} */
async function orphaned(signal) {
  const query = { standing: "orphaned", limit: MAX_LINES };
  const { comments, total, damaged } = await get("comments/list_comments", query, { signal });
  const broken = damaged.map((file) => ({ text: "These notes cannot be read", href: codeAddress(file), detail: file }));
  const lines = comments.map(({ text, filePath: file, line }) =>
    ({ text, href: codeAddress(file, line), detail: `${file}:${line}` }));
  return { total: total + damaged.length, lines: [...broken, ...lines] };
}

const [inReview, ready] = [tasksMatching({ status: ["review"] }), tasksMatching({ ready: true })];

/**
 * The lists of what waits.
 * @type {List[]}
 */
export const WAITING = [
  { name: "Answers to your remarks", all: "/review", topic: "inbox", counts: ["today", "review"], load: answers },
  { name: "Tasks in review", all: "/board?status=review", topic: "tasks", counts: ["today"], load: inReview },
  { name: "Notes that lost their code", all: "/code", topic: "comments", counts: ["today"], load: orphaned },
  { name: "Remarks no agent has read", all: "/review", topic: "inbox", counts: [], most: FEW_LINES, load: unread },
  { name: "Tasks that are ready", all: "/board?ready=true", topic: "tasks", counts: [], most: FEW_LINES, load: ready },
];

/**
 * Report the counts of the rail now and whenever they change, for as long as the page is open.
 * @param {(counts: Record<string, number>) => void} report
 */
export function followCounts(report) {
  /** @type {Map<List, number>} */
  const totals = new Map();
  const update = async (/** @type {List} */ list) => {
    const { total } = await list.load().catch(() => ({ total: 0 }));
    totals.set(list, total);
    /** @type {Record<string, number>} */
    const sums = { today: 0, review: 0 };
    for (const [known, number] of totals) for (const view of known.counts ?? []) sums[view] += number;
    report(sums);
  };
  for (const list of WAITING.filter(({ counts }) => counts?.length)) {
    /** @type {number | undefined} */
    let timer;
    const updateSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => update(list), BATCH_MS);
    };
    on(list.topic ?? "", updateSoon);
    document.addEventListener("marked", updateSoon);
    updateSoon();
  }
}
