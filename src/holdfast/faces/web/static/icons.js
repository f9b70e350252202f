// The icons of the page, drawn by us on a grid of 16 by 16: lines of one width, and a few solid parts.

import { svgEl } from "./dom.js";

const CIRCLE = "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 0 1 0-11.5z";
const BUBBLE = "M2.5 3h11v7.5H8.5L5 13.5v-3H2.5z";

/** The lines of each icon, and its solid parts. @type {Record<string, [lines: string, solid?: string]>} */
const PATHS = {
  // Views
  today: ["M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v2M10.5 2v2", "M8.75 9h2.75v2.5H8.75z"],
  board: ["M2 2.75h3v10.5H2zM6.5 2.75h3v6h-3zM11 2.75h3v8h-3z"],
  code: ["M5 4.5 1.75 8 5 11.5M11 4.5 14.25 8 11 11.5M9.25 3l-2.5 10"],
  review: [`${BUBBLE}M8 4.75v4M6 6.75h4`],
  issues: [CIRCLE, "M8 6.25a1.75 1.75 0 1 1 0 3.5a1.75 1.75 0 0 1 0-3.5z"],
  health: ["M1.5 8.5h3l2-5 3 9 2-5.5.75 1.5h2.25"],
  activity: [`${CIRCLE}M8 5v3.25l2.25 1.5`],
  // Things
  note: ["M3 2.5h10V10l-3.5 3.5H3zM13 10H9.5v3.5M5.5 5.5h5M5.5 8h2.5"],
  remark: [`${BUBBLE}M5 5.5h6M5 8h3.5`],
  task: ["M2.75 2.75h10.5v10.5H2.75zM5.25 8.25l1.75 1.75 3.75-4"],
  milestone: ["M4 14V2.5h8.5l-2.25 3 2.25 3H4"],
  file: ["M3.75 2.25h5l3.5 3.5v8h-8.5zM8.75 2.25v3.5h3.5"],
  agent: ["M3 6h10v7H3zM8 6V3.5", "M5.25 8.5h1.75v2H5.25zM9 8.5h1.75v2H9zM7 2h2v2H7z"],
  // Statuses of tasks
  backlog: [CIRCLE],
  ready: [CIRCLE],
  "in-progress": [CIRCLE, "M8 4.5a3.5 3.5 0 0 1 0 7z"],
  "in-review": [CIRCLE, "M8 8V4.5a3.5 3.5 0 1 1-3.5 3.5z"],
  blocked: [`${CIRCLE}M5.25 8h5.5`],
  done: [`${CIRCLE}M5.25 8.25l1.9 1.9 3.6-4`],
  dropped: [`${CIRCLE}M6 6l4 4M10 6l-4 4`],
  // Priorities
  high: ["", "M2 9.5h3V14H2zM6.5 6h3v8h-3zM11 2.5h3V14h-3z"],
  low: ["M6.5 13.25h3M11 13.25h3", "M2 9.5h3V14H2z"],
  // Controls
  search: ["M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9zM10.25 10.25l3.5 3.5"],
  close: ["M4 4l8 8M12 4l-8 8"],
  more: ["", "M2 7h2v2H2zM7 7h2v2H7zM12 7h2v2h-2z"],
  up: ["M8 13V3.5M4 7.5l4-4 4 4"],
  down: ["M8 3v9.5M4 8.5l4 4 4-4"],
  action: ["", "M9 1.75 3.5 9h4L6.5 14.25 12.5 7h-4z"],
  key: ["M7.75 8a2.75 2.75 0 1 1-5.5 0a2.75 2.75 0 0 1 5.5 0zM7.75 8h6v2.75M11 8v2"],
  theme: [CIRCLE, "M8 2.25a5.75 5.75 0 0 1 0 11.5z"],
};

/**
 * Return an icon. It is hidden from screen readers, because a text beside it or the label of its control says the same.
 * @param {string} name
 */
export function icon(name) {
  const [lines, solid] = PATHS[name];
  return svgEl("svg", { class: "icon", "data-icon": name, viewBox: "0 0 16 16", "aria-hidden": "true" },
    lines && svgEl("path", { d: lines }), solid && svgEl("path", { d: solid, class: "solid" }));
}
