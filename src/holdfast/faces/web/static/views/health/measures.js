// What a file is measured by: names, how numbers are written, and the five steps of heat they fall into.

const percent = (value) => `${Math.round(value * 1000) / 10} %`;
const whole = (value) => value.toLocaleString("en");

export const MEASURES = {
  hot_spot: { name: "Hot spot", write: whole, says: "complexity × changes in 90 days" },
  complexity: { name: "Complexity", write: whole, says: "cyclomatic complexity of all functions", line: "complex_line" },
  churn: { name: "Changes", write: whole, says: "commits in the 90 days before the last one" },
  debt: { name: "Debt", write: whole, says: "debts that comments admit, such as TODO", line: "debt_line" },
  duplication: { name: "Duplication", write: percent, says: "share of lines with a copy elsewhere" },
  defects: { name: "Defects", write: percent, says: "probability of a fix within a year" },
  coverage: { name: "Coverage", write: (value) => `${value} %`, says: "share that tests run; low is hot", isGood: true },
};
export const LINES = { name: "Lines", write: whole };

/** Return a function from a file to its step, 0 to 4, and the range of values in each step that has files. */
export function heat(files, measure) {
  const { isGood } = MEASURES[measure];
  const bad = (file) => (file[measure] === undefined ? null : isGood ? 100 - file[measure] : file[measure]);
  const sorted = files.map(bad).filter((value) => value > 0).sort((a, b) => a - b);
  const cuts = [0.5, 0.8, 0.95].map((share) => sorted[Math.floor(share * sorted.length)]);
  const step = (file) => (bad(file) > 0 ? 1 + cuts.filter((cut) => bad(file) >= cut && cut > sorted[0]).length : 0);
  const ranges = [];
  for (const file of files) {
    const value = file[measure];
    if (value === undefined) continue;
    const range = (ranges[step(file)] ??= [value, value]);
    range[0] = Math.min(range[0], value);
    range[1] = Math.max(range[1], value);
  }
  return { step, ranges };
}
