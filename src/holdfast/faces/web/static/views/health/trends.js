// How the headline numbers went, commit by commit, as small charts with their values in words.

import { el, fill, vector } from "../../dom.js";
import { get } from "../../api.js";
import { MEASURES } from "./measures.js";

const WIDTH = 200, HEIGHT = 44, EDGE = 3, PAST = 50;
const SORTS = { mean: "mean", max: "highest", p90: "90th percent" };
const SHARES = /^(duplication|(mean|max)_defect_probability)$/;

/** Fill a place with the trends; with `past`, the numbers of so many commits are computed first. */
export async function showTrends(view, place, past = 0) {
  const found = await get("analyze/analyze_trend", { limit: 100, backfill: past || null }, { signal: view.signal });
  const series = found.series.filter((one) => one.points > 1);
  const button = el("button", { class: "button", type: "button", on: { click: () => compute(view, place) } }, `Measure the last ${PAST} commits`);
  const { total_points: measured, commits_looked_at: commits } = found;
  if (commits < 2) return void fill(place, el("p", { class: "quiet" }, `A trend needs two commits; this branch has ${commits || "none"}.`));
  if (series.length === 0) {
    return void fill(place, el("div", { class: "empty" }, el("p", {}, "A trend needs the numbers of two commits. They are kept whenever an analysis runs on a tree without changes;",
      " those of the past can be measured now, here or with this command:"), el("pre", { tabindex: "0" }, `holdfast analyze trend --backfill ${PAST}`), button));
  }
  const words = `${measured} of the last ${commits} commits are measured. ${found.note ?? ""}`;
  fill(place, el("div", { class: "multiples" }, series.map((one) => multiple(one, found.points))),
    el("div", { class: "row" }, el("span", { class: "quiet" }, words), measured < Math.min(PAST, commits) && button));
}

async function compute(view, place) {
  fill(place, el("p", { class: "quiet", role: "status" }, `Measuring the last ${PAST} commits; each is read once…`));
  await showTrends(view, place, PAST).catch((problem) => view.fail(place, problem));
}

function multiple(series, points) {
  const write = (value) => (SHARES.test(series.metric) ? MEASURES.defects.write(value) : value.toLocaleString("en", { maximumFractionDigits: 2 }));
  const name = series.metric.replace(/^(mean|max|p90)_(.*)/, (_, which, what) => `${what}, ${SORTS[which]}`).replaceAll("_", " ");
  const change = series.change === 0 ? "no change" : `${series.change > 0 ? "+" : "−"}${write(Math.abs(series.change))}`;
  const words = `from ${write(series.first)} to ${write(series.last)} over ${series.points} commits, between ${write(series.lowest)} and ${write(series.highest)}`;
  return el("figure", { class: "card multiple" },
    el("figcaption", { class: "row" }, el("span", {}, name), el("strong", {}, write(series.last))),
    chart(series, points.map((point) => ({ ...point, value: point.numbers[series.metric] })), `${name} ${words}`, write),
    el("p", { class: "quiet" }, `${change} in ${series.points} commits, ${write(series.lowest)} to ${write(series.highest)}`));
}

function chart({ lowest, highest }, points, words, write) {
  const x = (at) => EDGE + (at / Math.max(points.length - 1, 1)) * (WIDTH - 2 * EDGE);
  const y = (value) => HEIGHT - EDGE - ((value - lowest) / (highest - lowest || 1)) * (HEIGHT - 2 * EDGE);
  const known = points.flatMap(({ value, commit, committed_at }, at) => (value === null ? [] : [{ at, value, commit, committed_at }]));
  return vector("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
    vector("polyline", { points: known.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
    known.map(({ at, value, commit, committed_at }) => vector("circle", { cx: x(at).toFixed(1), cy: y(value).toFixed(1), r: known.length > 40 ? 1.5 : 2.5 },
      vector("title", {}, `${write(value)} at ${commit.slice(0, 8)}, ${committed_at.slice(0, 10)}`))));
}
