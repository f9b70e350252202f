// The health of the repository in two lines, for the view that begins the day.

import { get } from "../../api.js";
import { codeAddress, el, fill, quiet } from "../../dom.js";

const MOST_FILES = 1500;

/** Return the worst hot spot and whether the gate passes, which is told later; null without source files. */
export async function healthAtAGlance(signal, told = () => {}) {
  const { files, files_analyzed } = await get("analyze/measure_files", { limit: 1 }, { signal });
  if (!files_analyzed) return null;
  const [worst] = files;
  const gate = el("div.stack", quiet("Checking the quality gate…"));
  const hot = worst.hot_spot ? el("p", "Hottest file: ", el("a", { href: codeAddress(worst.path) }, worst.path),
    quiet(` complexity ${worst.complexity}, changed ${worst.churn}× in 90 days`)) : null;
  // The gate reads everything, which in a large repository is not a glance.
  if (files_analyzed > MOST_FILES) fill(gate, el("a", { href: "/health#gate" }, "See the quality gate"));
  else get("analyze/quality_gate", { limit: 1 }, { signal }).then((found) => (fill(gate, verdict(found)), told(found)),
    (problem) => problem.name !== "AbortError" && fill(gate, problem.message));
  return el("div.stack", gate, hot);
}

function verdict({ passed, reason }) {
  const [state, words] = passed ? ["ok", "✓ gate passes"] : ["danger", "✕ gate fails"];
  return [el("div", el("a", { class: `tag ${state}`, href: "/health#gate" }, words)), quiet(reason)];
}
