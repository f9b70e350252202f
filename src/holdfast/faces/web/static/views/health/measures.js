// What a file is measured by: names, how numbers are written, and the five steps of heat they fall into.

export const percent = (value) => `${Math.round(value * 1000) / 10} %`;
export const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });

export const MEASURES = {
  hot_spot: { name: "Hot spot", write: number, says: "complexity × changes in 90 days" },
  complexity: { name: "Complexity", write: number, says: "cyclomatic complexity of all functions", line: "complex_line" },
  churn: { name: "Changes", write: number, says: "commits in the 90 days before the last one" },
  debt: { name: "Debt", write: number, says: "debts that comments admit, such as TODO", line: "debt_line" },
  duplication: { name: "Duplication", write: percent, says: "share of lines with a copy elsewhere" },
  defects: { name: "Defects", write: percent, says: "probability of a fix within a year" },
  coverage: { name: "Coverage", write: (value) => `${value} %`, says: "share that tests run; low is hot", isGood: true },
};
export const LINES = { name: "Lines", write: number };

/** Return a function from a file to its step, 0 to 4, and for each step that has files the range of their values. */
export function heat(files, measure) {
  const { isGood } = MEASURES[measure];
  const bad = ({ [measure]: value }) => (isGood ? 100 - value : value); // not a number where it was not measured
  const sorted = files.map(bad).filter((value) => value > 0).sort((a, b) => a - b);
  const cuts = [0.5, 0.8, 0.95].map((share) => sorted[Math.floor(share * sorted.length)]);
  const step = (file) => (bad(file) > 0 ? 1 + cuts.filter((cut) => bad(file) >= cut && cut > sorted[0]).length : 0);
  const steps = Map.groupBy(files.filter((file) => file[measure] !== undefined), step);
  const values = [0, 1, 2, 3, 4].map((at) => steps.get(at)?.map((file) => file[measure]));
  return { step, ranges: values.map((some) => some && [Math.min(...some), Math.max(...some)]) };
}
