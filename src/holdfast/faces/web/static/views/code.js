// The Code view: a tree of files beside a folder, or beside a file with its heat, outline and notes.

import { apiUrl, get } from "../api.js";
import { emptyState } from "../display.js";
import { el, fill } from "../dom.js";
import { FileView } from "./code/file.js";
import { panel, showHeading } from "./code/heading.js";
import { Lines } from "./code/lines.js";
import { drawReadme } from "./code/rendered.js";
import { drawTree, folderTable } from "./code/tree.js";

/** @import { View } from "../view.js" */

/** @param {View} view */
export async function show(view) {
  const path = (view.parameters.path ?? "").replace(/\/+$/, "");
  const side = el("div.code-side");
  const center = el("div.code-center");
  view.main.append(el("div.code-view", side, center));
  fill(side, panel("Files", await drawTree(view, path)));
  if (!path) return showFolder(view, center, ".");
  const query = { file: path, revision: view.query.get("revision") };
  const lines = new Lines(view, query);
  try {
    lines.addPage(await lines.requestPage(1));
  } catch (problem) {
    if (["invalid_path", "not_found", "denied"].includes(problem.kind)) {
      const folder = await get("source/list_files", { folder: path }, view).catch(() => null);
      if (folder) return showFolder(view, center, path, folder);
    }
    showHeading(view, path, apiUrl("source/read_source", query));
    throw problem;
  }
  await new FileView(view, path, lines, side, center).start();
}

/**
 * @param {View} view
 * @param {HTMLElement} center
 * @param {string} path
 * @param {any} loaded the entries of the folder, if they have been loaded
 */
async function showFolder(view, center, path, loaded = null) {
  const folder = loaded ?? (await get("source/list_files", { folder: path }, view));
  showHeading(view, path === "." ? "" : path, apiUrl("source/list_files", { folder: path }));
  const empty = emptyState("code", "No files yet. Files that git tracks or would add are shown here.",
    el("pre", "git add ."));
  fill(center, folder.entries.length ? folderTable(path, folder) : empty);
  center.append(await drawReadme(view, path, folder.entries));
}
