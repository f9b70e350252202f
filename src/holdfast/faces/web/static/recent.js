// The items that the user opened last: files, tasks and issues, for the palette.

import { loadList, saveList } from "./storage.js";

/** @typedef {{text: string, kind: string, href: string}} Item */

const NAME = "recent";
/** A judgement: older ones are found faster by name. */
const MAX_ITEMS = 12;
/** The views whose URLs with a parameter are items, and the kind of item. */
const KINDS = { code: "code", task: "task", issues: "issue" };

/** Return the items, the last one first. @returns {Item[]} */
export const recentItems = () =>
  loadList(NAME).filter((item) => typeof item?.text === "string" && /^\/(?!\/)/.test(item.href)).reverse();

/**
 * Remember the item that a view shows, if it shows one.
 * @param {string} view
 * @param {Record<string, string>} parameters of the route
 * @param {string} title of the view
 */
export function rememberItem(view, parameters, title) {
  const href = location.pathname, kind = KINDS[view], id = parameters.path ?? parameters.id;
  if (!kind || !id) return;
  const text = { code: id, task: title.startsWith(id) ? title : `${id} ${title}`, issue: title }[kind];
  const others = loadList(NAME).filter((item) => item?.href !== href);
  saveList(NAME, [...others, { text, kind, href }].slice(-MAX_ITEMS));
}
