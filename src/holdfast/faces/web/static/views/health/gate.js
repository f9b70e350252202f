// The quality gate: for each rule the threshold, the measured value, and the findings that violate the rule.

import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeLink } from "../../links.js";
import { get } from "../../api.js";
import { workButtons } from "./actions.js";
import { findingItem, findingLink } from "./file.js";
import { formatNumber } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** The number of findings that are listed for each rule; a judgement: about a screen. */
const MAX_FINDINGS_PER_RULE = 20;
/** The colour and the text of each status. */
const STATUSES = {
  pass: ["ok", "✓ passes"], warn: ["attention", "! warns"], fail: ["danger", "✕ fails"],
  not_measured: ["", "not measured"],
};

/**
 * Show the quality gate.
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function show(view, place) {
  const gate = await get("analyze/quality_gate", { limit: MAX_FINDINGS_PER_RULE }, view);
  const { passed, reason, checks, settings, switched_off: off } = gate;
  const source = settings
    ? ["The thresholds are set in ", codeLink(settings), "."]
    : ["These are the default thresholds. Set your own in ", el("code", ".holdfast.toml"), ", section ",
      el("code", "[gate]"), "."];
  const rules = checks.map((/** @type {Record<string, any>} */ rule) => drawRule(view, rule));
  fill(place, el("p.row.gate", statusTag(passed ? "pass" : "fail"), reason), el("div.stack", rules),
    el("p.quiet", source, off.length > 0 && ` Switched off: ${off.join(", ")}.`));
}

/** @param {string} name */
function statusTag(name) {
  const [colour, text] = STATUSES[name];
  return el("span", { class: `tag ${colour}` }, text);
}

/**
 * @param {View} view
 * @param {Record<string, any>} rule
 */
function drawRule(view, { check, status, actual, threshold, measure, reason, violations, violations_total: total }) {
  const summary = [statusTag(status), el("strong", check.replaceAll("_", " ")),
    el("span", actual !== null && `${formatNumber(actual)} `, quiet(`threshold ${formatNumber(threshold)}`)),
    quiet(measure, reason && ` (${reason})`)];
  const name = check.replaceAll("_", " ");
  const text = `The check of ${name} has the status ${status}: ${formatNumber(actual ?? 0)}, threshold ` +
    `${formatNumber(threshold)} (${measure}).`;
  const isBroken = status === "fail" || status === "warn";
  const work = isBroken && workButtons(view, { file: null, title: `Satisfy the check of ${name}`, text,
    links: violations.map(findingLink) });
  if (!violations.length) return el("div.card.rule", summary, work);
  const rest = total - violations.length;
  return el("details.card.rule", el("summary", summary, el("span.findings", pluralise(total, "finding"))), work,
    el("ul.plain-list", violations.map((/** @type {any} */ finding) => findingItem(view, finding)),
      rest > 0 && el("li.quiet", `and ${formatNumber(rest)} more`)));
}
