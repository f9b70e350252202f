// The panel of one file on the map: its figures and what they mean, functions by heat, history and findings.

import { get } from "../../api.js";
import { plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { icon } from "../../icons.js";
import { codeAddress, codeLink, commitAddress } from "../../links.js";
import { person } from "../../people.js";
import { ago } from "../../time.js";
import { workButtons } from "./actions.js";
import { MEASURES, formatNumber } from "./numbers.js";

/** @import { View } from "../../view.js" */
/** @import { File } from "./numbers.js" */

/** The number of functions, of commits and of findings of each rule that are shown; a judgement: a few lines each. */
const MAX_FUNCTIONS = 6, MAX_COMMITS = 5, MAX_FINDINGS = 5;

/**
 * Fill the panel of a file.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {File} file
 * @param {File[]} files all files, with which it is compared
 * @param {() => void} close
 */
export function showFile(view, place, file, files, close) {
  const { path } = file;
  const part = (/** @type {string} */ title) => {
    const content = el("div.stack");
    return { content, node: el("section", { "aria-label": title }, el("h3", title), content) };
  };
  const functions = part("Functions by heat"), history = part("History"), findings = part("Findings");
  const name = path.split("/").at(-1) ?? path;
  const heading = el("h2", { tabindex: "-1", title: path }, name);
  fill(place,
    el("header.row.spread", heading, plainButton(icon("close"), close, { "aria-label": "Close the panel" })),
    el("a.mono", { href: codeAddress(path, file.complex_line) }, path),
    workButtons(view, { file: path, line: file.complex_line, title: `Improve ${name}`, text: summary(file, files),
      links: [{ kind: "file", ref: path }] }),
    drawFigures(file, files), functions.node, history.node, findings.node);
  heading.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
  const fillAll = async () => {
    await view.attempt(functions.content, async () => showFunctions(view, functions.content, path));
    await view.attempt(history.content, async () => showHistory(view, history.content, path));
    await view.runWithStatus(findings.content, "Checking the file", () => showFindings(view, findings.content, path));
  };
  return fillAll();
}

/**
 * Compare a measure of a file with that of the other files: "more than 85 % of the files"; "" if it exceeds none.
 * @param {File} file
 * @param {File[]} files
 * @param {string} measure
 */
function rankText(file, files, measure) {
  const values = files.map((other) => other[measure]).filter((value) => value !== undefined);
  const lower = values.filter((value) => value < file[measure]).length;
  const percent = Math.min(99, Math.round((lower / (values.length - 1)) * 100)); // never "more than 100 %"
  if (lower > 0 && lower === values.length - 1) return "more than any other file";
  return percent > 0 ? `more than ${percent} % of the files` : "";
}

/**
 * @param {File} file
 * @param {File[]} files
 */
function drawFigures(file, files) {
  const rows = Object.entries(MEASURES).filter(([name]) => file[name] !== undefined).map(([name, measure]) => {
    const rank = rankText(file, files, name);
    return el("tr", el("th", { scope: "row" }, measure.name), el("td.number", measure.format(file[name])),
      el("td.quiet", measure.explanation, rank && `; ${rank}`));
  });
  const lines = el("tr", el("th", { scope: "row" }, "Lines"), el("td.number", formatNumber(file.lines)), el("td"));
  return el("table.figures", { "aria-label": "Figures" }, el("tbody", rows, lines));
}

/**
 * Describe in words what was measured, for a task or a remark.
 * @param {File} file
 * @param {File[]} files
 */
function summary(file, files) {
  const measured = Object.entries(MEASURES).filter(([name]) => file[name] !== undefined);
  const parts = measured.map(([name, { name: text, format }]) => {
    const rank = rankText(file, files, name);
    return `${text.toLowerCase()} ${format(file[name])}${rank && ` (${rank})`}`;
  });
  return `${file.path}: ${parts.join(", ")}.`;
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 * @param {string} path
 */
async function showFunctions(view, place, path) {
  const query = { project_path: path, limit: MAX_FUNCTIONS };
  const { functions, total_functions: total } = await get("analyze/analyze_function_heat", query, view);
  const item = ({ function: name, line, end_line: end, cyclomatic, changes, heat }) => el("li",
    el("a.mono", { href: codeAddress(path, line, end) }, name),
    quiet(` complexity ${cyclomatic}, ${changes === null ? "changes unknown" : `changed ${changes}×`}`,
      heat && `, heat ${heat} of 5`));
  const rest = total - functions.length;
  fill(place, functions.length ? el("ol.plain-list", functions.map(item)) : quiet("No functions."),
    rest > 0 && quiet(`and ${formatNumber(rest)} more`));
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 * @param {string} path
 */
async function showHistory(view, place, path) {
  const query = { file: path, limit: MAX_COMMITS };
  const { commits, has_more: hasMore } = await get("source/read_history", query, view);
  const item = ({ commit, author, time, subject }) => el("li",
    el("a", { href: commitAddress(commit) }, subject || "(no message)"), el("div.row", person(author), ago(time)));
  fill(place, commits.length ? el("ul.plain-list", commits.map(item)) : quiet("Not committed yet."),
    hasMore && el("a", { href: codeAddress(path) }, "All of it in Code"));
}

/**
 * Show what breaks a rule of the quality gate in the file.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {string} path
 */
async function showFindings(view, place, path) {
  const { checks } = await get("analyze/quality_gate", { project_path: path, limit: MAX_FINDINGS }, view);
  const findings = checks.flatMap(({ violations }) => violations);
  const total = checks.reduce((sum, { violations_total: count }) => sum + count, 0);
  const rest = total - findings.length;
  fill(place, findings.length ? el("ul.plain-list.stack", findings.map((finding) => findingItem(view, finding)))
    : quiet("No rule of the gate is broken here."), rest > 0 && quiet(`and ${formatNumber(rest)} more`));
}

/**
 * Return the link of a task to a finding.
 * @param {{file: string, line: number | null, message: string, rule: string}} finding
 */
export const findingLink = ({ file, line, message, rule }) =>
  ({ kind: "finding", ref: `${file}#${rule}:${line ?? 1}`, title: message });

/**
 * Return a finding, with buttons for the work on it.
 * @param {View} view
 * @param {{file: string, line: number | null, message: string, rule: string}} finding
 */
export function findingItem(view, finding) {
  const { file, line, message } = finding;
  const subject = { file, line, title: message, text: message, links: [findingLink(finding)] };
  return el("li.finding", el("div", codeLink(file, line), ` ${message}`), workButtons(view, subject));
}
