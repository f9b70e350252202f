// Who last changed each line of a file, in the margin of its lines.

import { get } from "../../api.js";
import { el } from "../../dom.js";
import { commitAddress } from "../../links.js";
import { avatar } from "../../people.js";
import { ago } from "../../time.js";

/** @import { View } from "../../view.js" */

/**
 * Consecutive lines that the same commit changed last; without a commit, they are not committed yet.
 * @typedef {{start: number, end: number, commit: string | null, author: string, time: string, subject: string}} Span
 */

/**
 * Return the span of each line, by line number.
 * @param {View} view
 * @param {string} file
 * @returns {Promise<Map<number, Span>>}
 */
export async function loadBlame(view, file) {
  const { spans } = await get("source/read_blame", { file }, view);
  const byLine = new Map();
  for (const span of spans) for (let line = span.start; line <= span.end; line += 1) byLine.set(line, span);
  return byLine;
}

/**
 * Return the margin of a line; only the first line of a span names the commit.
 * @param {Span | undefined} span
 * @param {number} line
 */
export function blameMark(span, line) {
  if (!span || span.start !== line) return el("span.blame");
  if (!span.commit) return el("span.blame", el("span.one-line", "not committed yet"));
  const link = { href: commitAddress(span.commit), title: `${span.subject}\n${span.author}` };
  return el("span.blame", avatar(span.author), el("a.one-line", link, span.author), ago(span.time));
}
