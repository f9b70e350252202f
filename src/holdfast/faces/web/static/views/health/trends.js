// How the headline numbers went, commit by commit, as small charts with their values in words.

import { button, el, empty, fill, quiet, vector } from "../../dom.js";
import { get, post } from "../../api.js";
import { number, percent } from "./numbers.js";

const WIDTH = 200, HEIGHT = 44, EDGE = 3, PAST = 50;
const SORTS = { mean: "mean", max: "highest", p90: "90th percent" };
const SHARES = /^(duplication|(mean|max)_defect_probability)$/;

/** Record the numbers of past commits; where nothing may be written, they are computed for this answer alone. */
async function record(view) {
  try {
    await post("analyze/record_trend", { backfill: PAST }, view);
    return 0;
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    return PAST;
  }
}

/** Fill a place with the trends; with `past`, missing numbers of that many commits are computed. */
export async function show(view, place, past = 0) {
  const found = await get("analyze/analyze_trend", { limit: 100, backfill: past || null }, view);
  const series = found.series.filter((one) => one.points > 1);
  const doing = `Measuring the last ${PAST} commits; each is read once`;
  const compute = () => view.running(place, doing, async () => show(view, place, await record(view)));
  const measure = button(`Measure the last ${PAST} commits`, compute);
  const { total_points: measured, commits_looked_at: commits } = found;
  const few = `A trend needs two commits; this branch has ${commits || "none"}.`;
  if (commits < 2) return fill(place, el("p.quiet", few));
  if (!series.length) {
    const command = el("pre", { tabindex: "0" }, `holdfast analyze record-trend --backfill ${PAST}`);
    return fill(place, empty("A trend needs the numbers of two commits. This command records them, after a commit or " +
      "for past commits; the button does so for past commits now:", command, measure));
  }
  const words = `${measured} of the last ${commits} commits are measured. ${found.note ?? ""}`;
  fill(place, el("div.multiples", series.map((one) => multiple(one, found.points))),
    el("div.row", quiet(words), measured < Math.min(PAST, commits) && measure));
}

function multiple(series, points) {
  const { metric, change, points: count } = series;
  const write = SHARES.test(metric) ? percent : number;
  const [first, last, lowest, highest] = [series.first, series.last, series.lowest, series.highest].map(write);
  const sorted = metric.replace(/^(mean|max|p90)_(.*)/, (_, which, what) => `${what}, ${SORTS[which]}`);
  const name = sorted.replaceAll("_", " ");
  const changed = change === 0 ? "no change" : `${change > 0 ? "+" : "−"}${write(Math.abs(change))}`;
  const words = `${name} from ${first} to ${last} over ${count} commits, between ${lowest} and ${highest}`;
  return el("figure.card.multiple",
    el("figcaption.row", el("span", name), el("strong", last)),
    chart(series, points, words, write),
    el("p.quiet", `${changed} in ${count} commits, ${lowest} to ${highest}`));
}

function chart({ metric, lowest, highest }, points, words, write) {
  const known = points.flatMap(({ numbers, commit, committed_at: when }, at) => {
    const value = numbers[metric];
    if (value === null) return [];
    const x = EDGE + (at / Math.max(points.length - 1, 1)) * (WIDTH - 2 * EDGE);
    const y = HEIGHT - EDGE - ((value - lowest) / (highest - lowest || 1)) * (HEIGHT - 2 * EDGE);
    const title = `${write(value)} at ${commit.slice(0, 8)}, ${when.slice(0, 10)}`;
    return [{ x: x.toFixed(1), y: y.toFixed(1), title }];
  });
  const r = known.length > 40 ? 1.5 : 2.5;
  return vector("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
    vector("polyline", { points: known.map(({ x, y }) => `${x},${y}`).join(" ") }),
    known.map(({ x, y, title }) => vector("circle", { cx: x, cy: y, r }, vector("title", title))));
}
