// What waits for the person at the page: short lists, each from one room, and the numbers beside Today and Review.

import { get, orNone } from "../../api.js";
import { on } from "../../live.js";
import { ago, codeAddress } from "../../dom.js";
import { DONE, isMarked } from "../../memory.js";

export const MOST = 7;
const FEW = 3;
const NEWEST = 100;
const PATIENCE = 300;

/** Ask tasks; a repository without any has none. */
export const tasks = (path, query, signal) =>
  orNone(get(`tasks/${path}`, query, { signal }), { tasks: [], events: [], total: 0 });

/** Threads whose last remark was answered, and that nobody has called done in Review. */
async function answers(signal) {
  const { messages } = await get("inbox/list_messages", { newest: true, limit: NEWEST }, { signal });
  const thread = ({ id, comment }) => comment.match(/^In reply to (m_\w+):/)?.[1] ?? id;
  const last = new Map(messages.map((remark) => [thread(remark), remark]));
  const fresh = [...last.values()].filter(({ id, replies }) => replies && !isMarked(DONE, id)).reverse();
  return { total: fresh.length, lines: fresh.map(remarkLine) };
}

async function unread(signal) {
  const { messages, total } = await get("inbox/list_messages", { state: "pending", limit: MOST }, { signal });
  return { total, lines: messages.map(remarkLine) };
}

/** Return a remark without the place and the lines that Review writes above what was said. */
function remarkLine({ comment, file, time }) {
  const text = comment.replace(/^(About [^\n]+:\n(>[^\n]*\n)*\n|In reply to m_\w+:\n\n)/, "");
  return { text, href: "/review", detail: [file, " · ", ago(time)] };
}

const listed = (query) => async (signal) => {
  const page = await tasks("taskpilot_list", { limit: MOST, ...query }, signal);
  const line = ({ id, title, priority }) =>
    ({ text: title, href: `/task/${id}`, detail: [id, priority === "high" && " · high"] });
  return { total: page.total, lines: page.tasks.map(line) };
};

async function lost(signal) {
  const query = { standing: "orphaned", limit: MOST };
  const { comments, total, damaged } = await get("comments/list_comments", query, { signal });
  const broken = damaged.map((file) => ({ text: "These notes cannot be read", href: codeAddress(file), detail: file }));
  const lines = comments.map(({ text, filePath: file, line }) =>
    ({ text, href: codeAddress(file, line), detail: `${file}:${line}` }));
  return { total: total + damaged.length, lines: [...broken, ...lines] };
}

const [inReview, ready] = [listed({ status: ["review"] }), listed({ ready: true })];

/** The lists of what waits: where all of it is, what brings news of it, and which numbers of the rail it adds to. */
export const WAITING = [
  { name: "Answers to your remarks", all: "/review", topic: "inbox", counts: ["today", "review"], load: answers },
  { name: "Tasks in review", all: "/board?status=review", topic: "tasks", counts: ["today"], load: inReview },
  { name: "Notes that lost their code", all: "/code", topic: "comments", counts: ["today"], load: lost },
  { name: "Remarks no agent has read", all: "/review", topic: "inbox", counts: [], most: FEW, load: unread },
  { name: "Tasks that are ready", all: "/board?ready=true", topic: "tasks", counts: [], most: FEW, load: ready },
];

/** Keep the numbers of the rail true for as long as the page is open. */
export function follow(counts) {
  const numbers = new Map();
  const renew = async (list) => {
    const { total } = await list.load().catch(() => ({ total: 0 }));
    numbers.set(list, total);
    const sums = { today: 0, review: 0 };
    for (const [known, number] of numbers) for (const view of known.counts) sums[view] += number;
    counts(sums);
  };
  for (const list of WAITING.filter((one) => one.counts.length)) {
    let waiting = null;
    const soon = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => renew(list), PATIENCE);
    };
    on(list.topic, soon);
    document.addEventListener("marked", soon);
    soon();
  }
}
