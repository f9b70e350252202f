// The quality gate: each rule, its threshold, what was measured, and the findings that broke it.

import { codeLink, counted, el, fill, quiet } from "../../dom.js";
import { get } from "../../api.js";
import { number } from "./numbers.js";

const STATES = { pass: ["ok", "✓ passes"], fail: ["danger", "✕ fails"], not_measured: ["", "not measured"] };

export async function show(view, place) {
  const found = await get("analyze/quality_gate", { limit: 20 }, view);
  const { passed, reason, checks, settings, switched_off: off } = found;
  const usual = [el("code", "[gate]"), " in ", el("code", ".holdfast.toml"), " sets your own."];
  const own = settings && ["Thresholds are in ", codeLink(settings), "."];
  const where = own ?? ["These are the usual thresholds; ", usual];
  fill(place, el("p.row.gate", state(passed ? "pass" : "fail"), reason), el("div.stack", checks.map(rule)),
    el("p.quiet", where, off.length > 0 && ` Switched off: ${off.join(", ")}.`));
}

function state(name) {
  const [look, words] = STATES[name];
  return el("span", { class: `tag ${look}` }, words);
}

function rule({ check, status, actual, threshold, measure, reason, violations, violations_total: total }) {
  const head = [state(status), el("strong", check.replaceAll("_", " ")),
    el("span", actual !== null && `${number(actual)} `, quiet(`threshold ${number(threshold)}`)),
    quiet(measure, reason && ` (${reason})`)];
  if (!violations.length) return el("div.card.rule", head);
  const rest = total - violations.length;
  return el("details.card.rule", el("summary", head, el("span.findings", counted(total, "finding"))),
    el("ul", violations.map(finding), rest > 0 && el("li.quiet", `and ${number(rest)} more`)));
}

const finding = ({ file, line, message }) => el("li", codeLink(file, line), ` ${message}`);
