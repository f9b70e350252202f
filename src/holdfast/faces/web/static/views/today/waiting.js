// What waits for the user: short lists of remarks, tasks and notes, and the counts beside Today and Review.

import { get, ifInitialised } from "../../api.js";
import { codeAddress } from "../../links.js";
import { on } from "../../live.js";
import { DONE_REMARKS, isMarked } from "../../storage.js";
import { ago } from "../../time.js";

/**
 * An item of a list: a link with a tag before it and details after it.
 * @typedef {{text: string, href: string, tag?: string | null, detail?: any}} ListItem
 */

/**
 * A short list of Today.
 * @typedef {object} ShortList
 * @property {string} [name]
 * @property {string} [icon]
 * @property {string} [all] the URL of the view that shows all items
 * @property {string} [topic] the topic whose changes make the list load again
 * @property {string[]} [counts] the views whose counts in the rail include the list
 * @property {number} [maxItems] the number of items that are shown
 * @property {(signal?: AbortSignal) => Promise<{total: number, items: any[], more?: boolean}>} load each item is a
 *   `ListItem` or a node
 */

/** The number of items of a list that are shown; a judgement: Today then fits on one screen. */
export const MAX_ITEMS = 7;
/** The number of items of a less urgent list; a judgement: enough to see what kind of items wait. */
const MAX_ITEMS_LESS_URGENT = 3;
/** The number of messages that are searched for answers; a judgement: an older one is no longer news. */
const MAX_MESSAGES = 100;
/** A judgement: changes within this time are counted once, and the delay is hardly noticed. */
const BATCH_MS = 300;

/**
 * Run an operation that reads tasks; in a repository without tasks the lists of the response are empty.
 * @param {string} operation
 * @param {Record<string, any>} query
 * @param {AbortSignal} [signal]
 */
export const getTasks = (operation, query, signal) =>
  ifInitialised(get(`tasks/${operation}`, query, { signal }), { tasks: [], events: [], total: 0 });

/**
 * Load the threads whose last remark has an answer, except those that the user marked as done in Review.
 * @type {ShortList["load"]}
 */
async function loadAnswers(signal) {
  const { messages } = await get("inbox/list_messages", { newest: true, limit: MAX_MESSAGES }, { signal });
  // Review defines the format of remarks (review/remarks.js), but its module is too large to load with every view.
  const threadOf = ({ id, comment }) => comment.match(/^In reply to (m_\w+):/)?.[1] ?? id;
  // The last remark of each thread replaces the earlier ones.
  const lastRemarks = new Map(messages.map((remark) => [threadOf(remark), remark]));
  const isUnseenAnswer = ({ id, replies }) => replies && !isMarked(DONE_REMARKS, id);
  const answered = [...lastRemarks.values()].filter(isUnseenAnswer).reverse();
  // Only the answers that are shown are loaded.
  const items = await Promise.all(answered.slice(0, MAX_ITEMS).map((remark) => answerItem(remark, signal)));
  return { total: answered.length, items };
}

/**
 * Return the last answer to a remark.
 * @param {{id: string, file: string}} remark
 * @param {AbortSignal} [signal]
 * @returns {Promise<ListItem>}
 */
async function answerItem({ id, file }, signal) {
  const { replies } = await get("inbox/show_message", { message_id: id }, { signal });
  const { author, text, time } = replies.at(-1);
  return { text, href: "/review", detail: [author ?? "the agent", " · ", file, " · ", ago(time)] };
}

/** @type {ShortList["load"]} */
async function loadUnread(signal) {
  const { messages, total } = await get("inbox/list_messages", { state: "pending", limit: MAX_ITEMS }, { signal });
  return { total, items: messages.map(remarkItem) };
}

/**
 * Return a remark without the place and the quoted lines that Review adds above its text.
 * @returns {ListItem}
 */
function remarkItem({ comment, file, time }) {
  const text = comment.replace(/^(About [^\n]+:\n(>[^\n]*\n)*\n|In reply to m_\w+:\n\n)/, "");
  return { text, href: "/review", detail: [file, " · ", ago(time)] };
}

/**
 * Return a function that loads the tasks that match a query.
 * @param {Record<string, any>} query
 * @returns {ShortList["load"]}
 */
const tasksMatching = (query) => async (signal) => {
  const page = await getTasks("taskpilot_list", { limit: MAX_ITEMS, ...query }, signal);
  const item = ({ id, title, priority }) =>
    ({ text: title, href: `/task/${id}`, detail: [id, priority === "high" && " · high"] });
  return { total: page.total, items: page.tasks.map(item) };
};

/** @type {ShortList["load"]} */
async function loadOrphans(signal) {
  const query = { standing: "orphaned", limit: MAX_ITEMS };
  const { comments, total, damaged } = await get("comments/list_comments", query, { signal });
  const broken = damaged.map((file) => ({ text: "These notes cannot be read", href: codeAddress(file), detail: file }));
  const items = comments.map(({ text, filePath: file, line }) =>
    ({ text, href: codeAddress(file, line), detail: `${file}:${line}` }));
  return { total: total + damaged.length, items: [...broken, ...items] };
}

const loadInReview = tasksMatching({ status: ["review"] });
const loadReady = tasksMatching({ ready: true });

/**
 * The lists of what waits for the user.
 * @type {ShortList[]}
 */
export const WAITING = [
  {
    name: "Answers to your remarks", icon: "remark", all: "/review", topic: "inbox", counts: ["today", "review"],
    load: loadAnswers,
  },
  {
    name: "Tasks in review", icon: "in-review", all: "/board?status=review", topic: "tasks", counts: ["today"],
    load: loadInReview,
  },
  {
    name: "Notes whose code is gone", icon: "note", all: "/code", topic: "comments", counts: ["today"],
    load: loadOrphans,
  },
  {
    name: "Remarks no agent has read", icon: "review", all: "/review", topic: "inbox", maxItems: MAX_ITEMS_LESS_URGENT,
    load: loadUnread,
  },
  {
    name: "Tasks that are ready", icon: "ready", all: "/board?ready=true", topic: "tasks",
    maxItems: MAX_ITEMS_LESS_URGENT, load: loadReady,
  },
];

/**
 * Report the counts of the rail now and whenever they change, for as long as the page is open.
 * @param {(counts: Record<string, number>) => void} report
 */
export function followCounts(report) {
  /** @type {Map<ShortList, number>} */
  const totals = new Map();
  const update = async (/** @type {ShortList} */ list) => {
    const { total } = await list.load().catch(() => ({ total: 0 }));
    totals.set(list, total);
    /** @type {Record<string, number>} */
    const sums = { today: 0, review: 0 };
    for (const [{ counts = [] }, number] of totals) for (const view of counts) sums[view] += number;
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
