// The quality gate: each rule, its threshold, what was measured, and the findings that broke it.

import { codeLink, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { number } from "./measures.js";

const STATES = { pass: ["ok", "✓ passes"], fail: ["danger", "✕ fails"], not_measured: ["", "not measured"] };

/** Fill a place with the result of the gate. */
export async function show(view, place) {
  const { passed, reason, checks, settings, switched_off: off } = await get("analyze/quality_gate", { limit: 20 }, { signal: view.signal });
  const where = settings ? ["Thresholds are in ", codeLink(settings), "."]
    : ["These are the usual thresholds; ", el("code", {}, "[gate]"), " in ", el("code", {}, ".holdfast.toml"), " sets your own."];
  fill(place, el("p", { class: "row gate" }, state(passed ? "pass" : "fail"), reason), el("div", { class: "stack" }, checks.map(rule)),
    el("p", { class: "quiet" }, where, off.length > 0 && ` Switched off: ${off.join(", ")}.`));
}

function state(name) {
  const [look, words] = STATES[name];
  return el("span", { class: `tag ${look}` }, words);
}

function rule({ check, status, actual, threshold, measure, reason, violations, violations_total: total }) {
  const head = [state(status), el("strong", {}, check.replaceAll("_", " ")),
    el("span", {}, actual !== null && `${number(actual)} `, quiet(`threshold ${number(threshold)}`)),
    quiet(measure, reason && ` (${reason})`)];
  if (!violations.length) return el("div", { class: "card rule" }, head);
  const rest = total - violations.length, findings = `${number(total)} ${total === 1 ? "finding" : "findings"}`;
  return el("details", { class: "card rule" }, el("summary", {}, head, el("span", { class: "findings" }, findings)),
    el("ul", {}, violations.map(finding), rest > 0 && el("li", { class: "quiet" }, `and ${number(rest)} more`)));
}

function finding({ file, line, message }) {
  return el("li", {}, codeLink(file, line), ` ${message}`);
}
