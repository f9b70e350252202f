// The trends of the main metrics, commit by commit, as small charts with a description in text.

import { button } from "../../controls.js";
import { emptyState, quiet } from "../../display.js";
import { el, fill, svgEl } from "../../dom.js";
import { get, post } from "../../api.js";
import { formatNumber, formatPercent } from "./numbers.js";

/** @import { View } from "../../view.js" */

/** The size of a chart and the margin around its line, in units of its view box. */
const WIDTH = 200, HEIGHT = 44, MARGIN = 3;
/** The number of past commits that are measured on request; a judgement: a few weeks of work, in about a minute. */
const BACKFILL_COMMITS = 50;
const STATISTICS = { mean: "mean", max: "highest", p90: "90th percentile" };
/** The number of recorded commits that are requested; a judgement: more points do not fit a chart. */
const MAX_POINTS = 100;
/** With more points, a chart has smaller dots; a judgement: larger ones would touch. */
const MAX_LARGE_DOTS = 40;
/**
 * The least share of the highest value that a chart spans; a judgement: a change of less is small, and the line of a
 * metric that hardly changed looks flat.
 */
const MIN_SPAN = 0.1;
/** The number of past commits that are measured in the background; a judgement: enough to see a direction. */
const BACKGROUND_COMMITS = 30;
/** If all values are above this share of the highest, the axis does not start at 0; a judgement. */
const MAX_SHARE_FROM_ZERO = 0.5;
const DAY_FORMAT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
/** The metrics that are shares of one. */
const SHARES = /^(duplication|(mean|max)_defect_probability)$/;

/**
 * Record the metrics of past commits. A read-only server computes them for one response only.
 * @param {View} view
 * @returns {Promise<number>} the number of past commits that the next request has to measure itself
 */
async function record(view, backfill = BACKFILL_COMMITS) {
  try {
    await post("analyze/record_trend", { backfill }, view);
    return 0;
  } catch (/** @type {any} */ problem) {
    if (problem.status !== 403) throw problem; // the role or a read-only server forbids writing
    return backfill;
  }
}

/**
 * Measure the last commits in the background if that has not been done, and show the trends again.
 * @param {View} view
 * @param {HTMLElement} place
 */
export async function backfill(view, place) {
  const status = quiet("");
  status.setAttribute("role", "status");
  try {
    const trend = await get("analyze/analyze_trend", { limit: MAX_POINTS }, view);
    const wanted = Math.min(BACKGROUND_COMMITS, trend.commits_looked_at);
    if (wanted < 2 || trend.total_points >= wanted) return;
    status.textContent = `Measuring the last ${wanted} commits in the background…`;
    place.append(status);
    // A read-only server would compute them for each response anew, so then only the button does.
    if (!await record(view, BACKGROUND_COMMITS)) await show(view, place);
    status.remove();
  } catch (/** @type {any} */ problem) {
    const { name, message } = problem;
    if (name === "AbortError") return;
    status.textContent = `The last commits were not measured: ${message}`;
    place.append(status);
  }
}

/**
 * Show the trends.
 * @param {View} view
 * @param {HTMLElement} place
 * @param {number} backfill the number of past commits to measure first
 */
export async function show(view, place, backfill = 0) {
  const trend = await get("analyze/analyze_trend", { limit: MAX_POINTS, backfill: backfill || null }, view);
  const series = trend.series.filter((/** @type {any} */ one) => one.points > 1);
  const activity = `Measuring the last ${BACKFILL_COMMITS} commits; each is read once`;
  const compute = () => view.runWithStatus(place, activity, async () => show(view, place, await record(view)));
  const measure = button(`Measure the last ${BACKFILL_COMMITS} commits`, compute);
  const { total_points: measured, commits_looked_at: commits } = trend;
  const few = `A trend needs two commits; this branch has ${commits || "none"}.`;
  if (commits < 2) return fill(place, el("p.quiet", few));
  if (!series.length) {
    const command = el("pre", { tabindex: "0" }, `holdfast analyze record-trend --backfill ${BACKFILL_COMMITS}`);
    const text = "A trend needs the metrics of two commits. This command records them, for the current commit and " +
      "past ones; the button does the same:";
    return fill(place, emptyState("health", text, command, measure));
  }
  const text = `${measured} of the last ${commits} commits are measured. ${trend.note ?? ""}`;
  fill(place, el("div.multiples", series.map((/** @type {any} */ one) => drawTrend(one, trend.points))),
    el("div.row", quiet(text), measured < Math.min(BACKFILL_COMMITS, commits) && measure));
}

/**
 * @param {any} series
 * @param {any[]} points
 */
function drawTrend(series, points) {
  const { metric, change, points: count } = series;
  const format = SHARES.test(metric) ? formatPercent : formatNumber;
  const [first, last, lowest, highest] = [series.first, series.last, series.lowest, series.highest].map(format);
  const [, statistic, subject] = metric.match(/^(mean|max|p90)_(.*)/) ?? [];
  const name = (statistic ? `${subject}, ${STATISTICS[statistic]}` : metric).replaceAll("_", " ");
  const isChanged = format(Math.abs(change)) !== format(0); // as far as its format shows
  const changeText = isChanged ? `${change > 0 ? "+" : "−"}${format(Math.abs(change))}` : "no change";
  const range = lowest === highest ? `always ${lowest}` : `${lowest} to ${highest}`;
  const description = `${name} from ${first} to ${last} over ${count} commits, between ${lowest} and ${highest}`;
  return el("figure.card.multiple",
    el("figcaption.row", el("span", name), el("strong", last)),
    el("div.chart", drawAxis(series, format), drawChart(series, points, description, format), drawDates(points)),
    el("p.quiet", `${changeText} in ${count} commits, ${range}`));
}

/**
 * Return the values at the ends of a chart's axis, with a mark if it does not start at 0.
 * @param {{lowest: number, highest: number}} series
 * @param {(value: number) => string} format
 */
function drawAxis({ lowest, highest }, format) {
  const { bottom, span } = axisOf(lowest, highest);
  const title = bottom === 0 ? "The axis starts at 0" : `The axis does not start at 0, but at ${format(bottom)}`;
  return el("div.axis.quiet", { title }, el("span", format(bottom + span)),
    el("span", bottom !== 0 && "⌇ ", format(bottom)));
}

/** @param {{committed_at: string}[]} points */
function drawDates(points) {
  const day = (/** @type {string} */ time) =>
    el("time", { datetime: time, title: new Date(time).toLocaleString() }, DAY_FORMAT.format(new Date(time)));
  return el("div.dates.quiet", day(points[0].committed_at), day(points[points.length - 1].committed_at));
}

/**
 * Return the range of a chart's axis: from 0, unless that would hide the changes of high values.
 * @param {number} lowest
 * @param {number} highest
 */
function axisOf(lowest, highest) {
  if (lowest >= 0 && lowest <= MAX_SHARE_FROM_ZERO * highest) return { bottom: 0, span: highest || 1 };
  const span = Math.max(highest - lowest, MIN_SPAN * Math.abs(highest)) || 1;
  const bottom = (lowest + highest - span) / 2;
  if (!Number.isInteger(lowest) || !Number.isInteger(highest)) return { bottom, span };
  const floor = Math.floor(bottom); // the ends of an axis of counts are counts too
  return { bottom: floor, span: Math.ceil(bottom + span) - floor };
}

/**
 * @param {{metric: string, lowest: number, highest: number}} series
 * @param {any[]} points
 * @param {string} description
 * @param {(value: number) => string} format
 */
function drawChart({ metric, lowest, highest }, points, description, format) {
  const { bottom, span } = axisOf(lowest, highest);
  const dots = points.flatMap(({ numbers, commit, committed_at: time }, index) => {
    const value = numbers[metric];
    if (value === null) return []; // the metric was not measured at this commit
    const x = MARGIN + (index / Math.max(points.length - 1, 1)) * (WIDTH - 2 * MARGIN);
    const y = HEIGHT - MARGIN - ((value - bottom) / span) * (HEIGHT - 2 * MARGIN);
    const title = `${format(value)} at ${commit.slice(0, 8)}, ${time.slice(0, 10)}`;
    return [{ x: x.toFixed(1), y: y.toFixed(1), title }];
  });
  const radius = dots.length > MAX_LARGE_DOTS ? 1.5 : 2.5;
  return svgEl("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": description },
    svgEl("polyline", { points: dots.map(({ x, y }) => `${x},${y}`).join(" ") }),
    dots.map(({ x, y, title }) => svgEl("circle", { cx: x, cy: y, r: radius }, svgEl("title", title))));
}
