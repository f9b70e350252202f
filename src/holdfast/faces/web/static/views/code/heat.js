// Heat of functions: complexity times changes in five steps, as a mark that is wider the hotter it is.

import { el } from "../../dom.js";

/** Return what a function's heat means, in words. */
export function heatWords({ function: name, cyclomatic, changes, heat }) {
  if (heat === null) return `${name}: complexity ${cyclomatic}; how often it changed is not known`;
  return `${name}: complexity ${cyclomatic} × ${changes} ${changes === 1 ? "change" : "changes"} in 90 days, heat ${heat} of 5`;
}

/** Return the mark of a function's heat; an empty one where there is none. */
export function heatMark(found) {
  return el("span", { class: "heat", title: found && heatWords(found), dataset: { step: found?.heat ?? 0 } });
}

/** Return the function that an outline's symbol is, by its lines: decorators may come before its own first line. */
export function functionAt(functions, start, end) {
  return functions.find((one) => one.line >= start && one.end_line === end) ?? null;
}

/** Return the innermost function around each line. */
export function functionsByLine(functions) {
  const found = new Map();
  for (const one of [...functions].sort((left, right) => left.line - right.line)) {
    for (let line = one.line; line <= one.end_line; line += 1) found.set(line, one);
  }
  return found;
}
