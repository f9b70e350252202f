// Documents and images of the repository: Markdown as the server renders it, and pictures.

import { get, post } from "../../api.js";
import { emptyState } from "../../display.js";
import { el, fill } from "../../dom.js";
import { codeAddress } from "../../links.js";
import { sanitise } from "../../markdown.js";

/** @import { View } from "../../view.js" */

const MARKDOWN_NAME = /\.(md|markdown)$/i;
const README_NAME = /^readme\.(md|markdown)$/i;
/** The names for which the server returns images. */
const IMAGE_NAME = /\.(avif|gif|ico|jpe?g|png|svg|webp)$/i;
/** The maximum that the server accepts as `limit`, and the length of a text that it renders. */
const MAX_LINES = 5000, MAX_CHARACTERS = 100_000;

/** @param {string} path */
export const isMarkdown = (path) => MARKDOWN_NAME.test(path);

/** @param {string} path */
export const isImage = (path) => IMAGE_NAME.test(path);

/** @param {string} path */
const folderOf = (path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/**
 * Return a Markdown file as the server renders it, with its images; null if it is too long to be rendered.
 * @param {View} view
 * @param {{file: string, revision: string | null}} query
 */
export async function drawDocument(view, { file, revision }) {
  const { lines, cut } = await get("source/read_source", { file, revision, limit: MAX_LINES }, view);
  const textOf = (/** @type {[string, string][]} */ pieces) => pieces.map(([, part]) => part).join("");
  const text = lines.map(textOf).join("\n");
  if (cut || text.length > MAX_CHARACTERS) return null;
  const { html: [html] } = await post("markdown", { texts: [text], folder: folderOf(file) }, view);
  const node = el("article.markdown.document", { "aria-label": file }, sanitise(html, "html"));
  for (const link of node.querySelectorAll("a.image[href^='/code/']")) {
    showInPlace(view, /** @type {HTMLAnchorElement} */ (link), revision);
  }
  return node;
}

/**
 * Replace the text of a link to an image with the image once it has been loaded.
 * @param {View} view
 * @param {HTMLAnchorElement} link
 * @param {string | null} revision
 */
async function showInPlace(view, link, revision) {
  const file = decodeURIComponent(link.pathname.replace("/code/", ""));
  const image = await loadImage(view, { file, revision }, link.textContent ?? "").catch(() => null); // the text stays
  if (image) fill(link, image);
}

/**
 * @param {View} view
 * @param {{file: string, revision: string | null}} query
 * @param {string} alt
 */
export async function loadImage(view, { file, revision }, alt) {
  const { mime, data } = await get("source/read_image", { file, revision }, view);
  // A data URL, because the content security policy allows no other pictures. A picture runs no script of its own.
  const error = () => image.replaceWith(emptyState("file", `${alt || file} is no image that this browser can show.`));
  const image = el("img.picture", { src: `data:${mime};base64,${data}`, alt, on: { error } });
  return image;
}

/**
 * Return the README of a folder, or an empty text.
 * @param {View} view
 * @param {string} folder
 * @param {{name: string, kind: string}[]} entries
 */
export async function drawReadme(view, folder, entries) {
  const readme = entries.find(({ name, kind }) => kind === "file" && README_NAME.test(name));
  if (!readme) return "";
  const file = folder === "." ? readme.name : `${folder}/${readme.name}`;
  const content = await drawDocument(view, { file, revision: null }).catch(() => null);
  if (!content) return "";
  return el("section.card.readme", { "aria-label": readme.name },
    el("h2", el("a", { href: codeAddress(file) }, readme.name)), content);
}
