// The health of the repository in two lines, for the Today view.

import { get } from "../../api.js";
import { quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";

/** @typedef {{passed: boolean, reason: string}} Gate */

/** With more files, the overview only links to the gate; a judgement: reading every file would take seconds. */
const MAX_FILES_CHECKED = 1500;

/**
 * Return the hottest file and the result of the quality gate, which is filled in later; null without source files.
 * @param {AbortSignal | undefined} signal
 * @param {(gate: Gate) => void} onChecked called with the result of the gate
 */
export async function healthOverview(signal, onChecked = () => {}) {
  const { files, files_analyzed } = await get("analyze/measure_files", { limit: 1 }, { signal });
  if (!files_analyzed) return null;
  const [hottest] = files;
  const hotSpot = hottest.hot_spot > 0 &&
    el("p", "Hottest file: ", el("a", { href: codeAddress(hottest.path) }, hottest.path),
      quiet(` complexity ${hottest.complexity}, changed ${hottest.churn}× in 90 days`));
  const gatePlace = el("div.stack", quiet("Checking the quality gate…"));
  if (files_analyzed > MAX_FILES_CHECKED) {
    fill(gatePlace, el("a", { href: "/health#gate" }, "See the quality gate"));
  } else {
    checkGate(gatePlace, signal, onChecked);
  }
  return el("div.stack", gatePlace, hotSpot);
}

/**
 * Check the quality gate and show the result or the error.
 * @param {HTMLElement} place
 * @param {AbortSignal | undefined} signal
 * @param {(gate: Gate) => void} onChecked
 */
async function checkGate(place, signal, onChecked) {
  try {
    const gate = await get("analyze/quality_gate", { limit: 1 }, { signal });
    fill(place, gateResult(gate));
    onChecked(gate);
  } catch (problem) {
    if (problem.name !== "AbortError") fill(place, problem.message);
  }
}

/** @param {Gate} gate */
function gateResult({ passed, reason }) {
  const [colour, text] = passed ? ["ok", "✓ gate passes"] : ["danger", "✕ gate fails"];
  return [el("div", el("a", { class: `tag ${colour}`, href: "/health#gate" }, text)), quiet(reason)];
}
