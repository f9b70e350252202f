// How the headline numbers went, commit by commit, as small charts with their values in words.

import { button, quiet } from "../../controls.js";
import { el, fill, vector } from "../../dom.js";
import { get } from "../../api.js";
import { empty } from "../../view.js";
import { number, percent } from "./measures.js";

const WIDTH = 200, HEIGHT = 44, EDGE = 3, PAST = 50;
const SORTS = { mean: "mean", max: "highest", p90: "90th percent" };
const SHARES = /^(duplication|(mean|max)_defect_probability)$/;

/** Fill a place with the trends; with `past`, the numbers of so many commits are computed first. */
export async function show(view, place, past = 0) {
  const found = await get("analyze/analyze_trend", { limit: 100, backfill: past || null }, { signal: view.signal });
  const series = found.series.filter((one) => one.points > 1);
  const compute = () => {
    fill(place, el("p", { class: "quiet", role: "status" }, `Measuring the last ${PAST} commits; each is read once…`));
    view.attempt(place, () => show(view, place, PAST));
  };
  const measure = button(`Measure the last ${PAST} commits`, compute);
  const { total_points: measured, commits_looked_at: commits } = found;
  if (commits < 2) return fill(place, el("p", { class: "quiet" }, `A trend needs two commits; this branch has ${commits || "none"}.`));
  if (!series.length) {
    return fill(place, empty("A trend needs the numbers of two commits. They are kept whenever an analysis runs on a tree without " +
      "changes; those of the past can be measured now, here or with this command:",
    el("pre", { tabindex: "0" }, `holdfast analyze trend --backfill ${PAST}`), measure));
  }
  const words = `${measured} of the last ${commits} commits are measured. ${found.note ?? ""}`;
  fill(place, el("div", { class: "multiples" }, series.map((one) => multiple(one, found.points))),
    el("div", { class: "row" }, quiet(words), measured < Math.min(PAST, commits) && measure));
}

function multiple(series, points) {
  const { metric, change, points: count } = series;
  const write = SHARES.test(metric) ? percent : number;
  const [first, last, lowest, highest] = [series.first, series.last, series.lowest, series.highest].map(write);
  const name = metric.replace(/^(mean|max|p90)_(.*)/, (_, which, what) => `${what}, ${SORTS[which]}`).replaceAll("_", " ");
  const changed = change === 0 ? "no change" : `${change > 0 ? "+" : "−"}${write(Math.abs(change))}`;
  return el("figure", { class: "card multiple" },
    el("figcaption", { class: "row" }, el("span", {}, name), el("strong", {}, last)),
    chart(series, points, `${name} from ${first} to ${last} over ${count} commits, between ${lowest} and ${highest}`, write),
    el("p", { class: "quiet" }, `${changed} in ${count} commits, ${lowest} to ${highest}`));
}

function chart({ metric, lowest, highest }, points, words, write) {
  const known = points.flatMap(({ numbers, commit, committed_at: when }, at) => {
    const value = numbers[metric];
    if (value === null) return [];
    const x = EDGE + (at / Math.max(points.length - 1, 1)) * (WIDTH - 2 * EDGE);
    const y = HEIGHT - EDGE - ((value - lowest) / (highest - lowest || 1)) * (HEIGHT - 2 * EDGE);
    return [{ x: x.toFixed(1), y: y.toFixed(1), title: `${write(value)} at ${commit.slice(0, 8)}, ${when.slice(0, 10)}` }];
  });
  const r = known.length > 40 ? 1.5 : 2.5;
  return vector("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
    vector("polyline", { points: known.map(({ x, y }) => `${x},${y}`).join(" ") }),
    known.map(({ x, y, title }) => vector("circle", { cx: x, cy: y, r }, vector("title", {}, title))));
}
