// The health of the repository in two lines, for Today.

import { get } from "../../api.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";

/** @typedef {{passed: boolean, reason: string}} Gate */

/** With more files, the gate is only linked to; a judgement: it reads every file, which would take seconds. */
const MAX_FILES = 1500;

/**
 * Return the worst hot spot and the state of the quality gate, which is filled in later; null without source files.
 * @param {AbortSignal | undefined} signal
 * @param {(gate: Gate) => void} checked called with the state of the gate
 */
export async function healthOverview(signal, checked = () => {}) {
  const { files, files_analyzed } = await get("analyze/measure_files", { limit: 1 }, { signal });
  if (!files_analyzed) return null;
  const [worst] = files;
  const gate = el("div.stack", quiet("Checking the quality gate…"));
  const hot = worst.hot_spot ? el("p", "Hottest file: ", el("a", { href: codeAddress(worst.path) }, worst.path),
    quiet(` complexity ${worst.complexity}, changed ${worst.churn}× in 90 days`)) : null;
  if (files_analyzed > MAX_FILES) fill(gate, el("a", { href: "/health#gate" }, "See the quality gate"));
  else get("analyze/quality_gate", { limit: 1 }, { signal }).then(
    (found) => (fill(gate, verdict(found)), checked(found)),
    (problem) => problem.name !== "AbortError" && fill(gate, problem.message));
  return el("div.stack", gate, hot);
}

/** @param {Gate} gate */
function verdict({ passed, reason }) {
  const [state, text] = passed ? ["ok", "✓ gate passes"] : ["danger", "✕ gate fails"];
  return [el("div", el("a", { class: `tag ${state}`, href: "/health#gate" }, text)), quiet(reason)];
}
