// The quality gate: each rule, its threshold, what was measured, and the findings that broke it.

import { el, fill } from "../../dom.js";
import { get } from "../../api.js";
import { address } from "../../router.js";

const STATES = { pass: ["ok", "✓ passes"], fail: ["danger", "✕ fails"], not_measured: ["", "not measured"] };

/** Fill a place with the result of the gate. */
export async function showGate(view, place) {
  const gate = await get("analyze/quality_gate", { limit: 20 }, { signal: view.signal });
  const [state, words] = STATES[gate.passed ? "pass" : "fail"];
  const settings = gate.settings ? ["Thresholds are in ", el("a", { class: "mono", href: address("/code", gate.settings) }, gate.settings), "."]
    : ["These are the usual thresholds; ", el("code", {}, "[gate]"), " in ", el("code", {}, ".holdfast.toml"), " sets your own."];
  fill(place, el("p", { class: "row gate" }, el("span", { class: `tag ${state}` }, words), gate.reason), el("div", { class: "stack" }, gate.checks.map(rule)),
    el("p", { class: "quiet" }, settings, gate.switched_off.length ? ` Switched off: ${gate.switched_off.join(", ")}.` : ""));
}

function rule(check) {
  const [state, words] = STATES[check.status];
  const quiet = (...texts) => el("span", { class: "quiet" }, texts);
  const head = [el("span", { class: `tag ${state}` }, words), el("strong", {}, check.check.replaceAll("_", " ")),
    el("span", {}, check.actual === null ? "" : `${number(check.actual)} `, quiet(`threshold ${number(check.threshold)}`)), quiet(check.measure, check.reason ? ` (${check.reason})` : "")];
  if (!check.violations.length) return el("div", { class: "card rule" }, head);
  const total = check.violations_total, rest = total - check.violations.length;
  return el("details", { class: "card rule" }, el("summary", {}, head, el("span", { class: "findings" }, `${total.toLocaleString("en")} ${total === 1 ? "finding" : "findings"}`)),
    el("ul", {}, check.violations.map(finding), rest > 0 && el("li", { class: "quiet" }, `and ${rest.toLocaleString("en")} more`)));
}

function finding({ file, line, message }) {
  return el("li", {}, el("a", { class: "mono", href: `${address("/code", file)}${line ? `#L${line}` : ""}` }, line ? `${file}:${line}` : file), ` ${message}`);
}

const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });
