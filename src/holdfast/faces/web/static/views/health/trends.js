// Trends of the main numbers, commit by commit, as small charts described in text.

import { button } from "../../controls.js";
import { emptyState, quiet } from "../../display.js";
import { el, fill, svgEl } from "../../dom.js";
import { get, post } from "../../api.js";
import { number, percent } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** The size of a chart and the space around its line, in units of its view box. */
const WIDTH = 200, HEIGHT = 44, MARGIN = 3;
/** Commits that are measured on request; a judgement: a few weeks of work, in about a minute. */
const BACKFILL = 50;
const STATISTICS = { mean: "mean", max: "highest", p90: "90th percentile" };
/** The metrics that are shares of one. */
const SHARES = /^(duplication|(mean|max)_defect_probability)$/;

/**
 * Record the numbers of past commits; on a read-only server they are computed for this response alone.
 * @param {View} view
 * @returns {Promise<number>} how many past commits the next response has to measure itself
 */
async function record(view) {
  try {
    await post("analyze/record_trend", { backfill: BACKFILL }, view);
    return 0;
  } catch (/** @type {any} */ problem) {
    if (problem.status !== 403) throw problem; // the role or a read-only server forbids writing
    return BACKFILL;
  }
}

/**
 * Show the trends.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {number} backfill how many past commits are measured first
 */
export async function show(view, place, backfill = 0) {
  const found = await get("analyze/analyze_trend", { limit: 100, backfill: backfill || null }, view);
  const series = found.series.filter((/** @type {any} */ one) => one.points > 1);
  const activity = `Measuring the last ${BACKFILL} commits; each is read once`;
  const compute = () => view.runWithStatus(place, activity, async () => show(view, place, await record(view)));
  const measure = button(`Measure the last ${BACKFILL} commits`, compute);
  const { total_points: measured, commits_looked_at: commits } = found;
  const few = `A trend needs two commits; this branch has ${commits || "none"}.`;
  if (commits < 2) return fill(place, el("p.quiet", few));
  if (!series.length) {
    const command = el("pre", { tabindex: "0" }, `holdfast analyze record-trend --backfill ${BACKFILL}`);
    const text = "A trend needs the numbers of two commits. This command records them, after a commit or " +
      "for past commits; the button does the same for past commits now:";
    return fill(place, emptyState(text, command, measure));
  }
  const text = `${measured} of the last ${commits} commits are measured. ${found.note ?? ""}`;
  fill(place, el("div.multiples", series.map((/** @type {any} */ one) => multiple(one, found.points))),
    el("div.row", quiet(text), measured < Math.min(BACKFILL, commits) && measure));
}

/**
 * Return a chart with its numbers.
 * @param {any} series
 * @param {any[]} points
 */
function multiple(series, points) {
  const { metric, change, points: count } = series;
  const write = SHARES.test(metric) ? percent : number;
  const [first, last, lowest, highest] = [series.first, series.last, series.lowest, series.highest].map(write);
  const title = (/** @type {string} */ _, /** @type {string} */ statistic, /** @type {string} */ subject) =>
    `${subject}, ${STATISTICS[statistic]}`;
  const name = metric.replace(/^(mean|max|p90)_(.*)/, title).replaceAll("_", " ");
  const changed = change === 0 ? "no change" : `${change > 0 ? "+" : "−"}${write(Math.abs(change))}`;
  const description = `${name} from ${first} to ${last} over ${count} commits, between ${lowest} and ${highest}`;
  return el("figure.card.multiple",
    el("figcaption.row", el("span", name), el("strong", last)),
    chart(series, points, description, write),
    el("p.quiet", `${changed} in ${count} commits, ${lowest} to ${highest}`));
}

/**
 * @param {{metric: string, lowest: number, highest: number}} series
 * @param {any[]} points
 * @param {string} description
 * @param {(value: number) => string} write
 */
function chart({ metric, lowest, highest }, points, description, write) {
  const known = points.flatMap(({ numbers, commit, committed_at: when }, at) => {
    const value = numbers[metric];
    if (value === null) return [];
    const x = MARGIN + (at / Math.max(points.length - 1, 1)) * (WIDTH - 2 * MARGIN);
    const y = HEIGHT - MARGIN - ((value - lowest) / (highest - lowest || 1)) * (HEIGHT - 2 * MARGIN);
    const title = `${write(value)} at ${commit.slice(0, 8)}, ${when.slice(0, 10)}`;
    return [{ x: x.toFixed(1), y: y.toFixed(1), title }];
  });
  const r = known.length > 40 ? 1.5 : 2.5;
  return svgEl("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": description },
    svgEl("polyline", { points: known.map(({ x, y }) => `${x},${y}`).join(" ") }),
    known.map(({ x, y, title }) => svgEl("circle", { cx: x, cy: y, r }, svgEl("title", title))));
}
