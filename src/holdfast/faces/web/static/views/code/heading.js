// The heading of a file or folder, and the panels beside it.

import { el } from "../../dom.js";
import { address } from "../../router.js";

/** @import { View } from "../../view.js" */

/** Wide enough to open the side panels at first. */
const WIDE = matchMedia("(min-width: 1200px)");

/**
 * Show the name of a file or folder, with links to the folders that contain it.
 * @param {View} view
 * @param {string} path
 * @param {string} json the URL of the response as JSON
 * @param {HTMLElement | null} facts
 * @param {any} tools
 */
export function showHeading(view, path, json, facts = null, tools = null) {
  const parts = path ? path.split("/") : [];
  const steps = parts.slice(0, -1).map((name, index) => [el("span", { "aria-hidden": "true" }, "/"),
    el("a", { href: address("/code", parts.slice(0, index + 1).join("/")) }, name)]);
  const crumbs = el("nav.row.wrap.crumbs.mono", { "aria-label": "Folders" }, el("a", { href: "/code" }, "root"), steps);
  view.setHeading(parts.at(-1) ?? "Code", { json, tools: [tools], filters: parts.length ? [crumbs, facts] : null });
}

/**
 * @param {string} title
 * @param {any} content
 */
export const panel = (title, content) =>
  el("details.code-panel", { open: WIDE.matches }, el("summary", title), content);
