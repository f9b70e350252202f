// The quality gate: each rule, its threshold, what was measured, and the findings that violate it.

import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeLink } from "../../links.js";
import { get } from "../../api.js";
import { number } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** The look and the text of each state. */
const STATES = { pass: ["ok", "✓ passes"], fail: ["danger", "✕ fails"], not_measured: ["", "not measured"] };

/**
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const found = await get("analyze/quality_gate", { limit: 20 }, view);
  const { passed, reason, checks, settings, switched_off: off } = found;
  const configure = [el("code", "[gate]"), " in ", el("code", ".holdfast.toml"), " sets your own."];
  const configured = settings && ["Thresholds are in ", codeLink(settings), "."];
  const where = configured ?? ["These are the default thresholds; ", configure];
  fill(place, el("p.row.gate", state(passed ? "pass" : "fail"), reason), el("div.stack", checks.map(rule)),
    el("p.quiet", where, off.length > 0 && ` Switched off: ${off.join(", ")}.`));
}

/** @param {string} name */
function state(name) {
  const [look, text] = STATES[name];
  return el("span", { class: `tag ${look}` }, text);
}

/** @param {Record<string, any>} rule */
function rule({ check, status, actual, threshold, measure, reason, violations, violations_total: total }) {
  const head = [state(status), el("strong", check.replaceAll("_", " ")),
    el("span", actual !== null && `${number(actual)} `, quiet(`threshold ${number(threshold)}`)),
    quiet(measure, reason && ` (${reason})`)];
  if (!violations.length) return el("div.card.rule", head);
  const rest = total - violations.length;
  return el("details.card.rule", el("summary", head, el("span.findings", pluralise(total, "finding"))),
    el("ul", violations.map(finding), rest > 0 && el("li.quiet", `and ${number(rest)} more`)));
}

/** @param {{file: string, line: number, message: string}} violation */
const finding = ({ file, line, message }) => el("li", codeLink(file, line), ` ${message}`);
