// URLs of files, lines and commits within the page.

import { el } from "./dom.js";
import { address } from "./router.js";

/** The suffix of the files that contain the notes of another file; the page shows notes beside their lines instead. */
export const SIDECAR_SUFFIX = ".comments";

/**
 * Return the URL of a file, or of a range of its lines, in the Code view.
 * @param {string} file
 * @param {number | null} [first]
 * @param {number | null} [last]
 */
export function codeAddress(file, first, last) {
  const lines = first ? `#L${first}${last && last > first ? `-L${last}` : ""}` : "";
  return `${address("/code", file)}${lines}`;
}

/**
 * Return a link to a file or to one of its lines; the repository, ".", has none.
 * @param {string} file
 * @param {number | null} [line]
 */
export const codeLink = (file, line) => (file === "." ? el("span", "the repository")
  : el("a.mono", { href: codeAddress(file, line) }, file, line && `:${line}`));

/**
 * Return the URL of a commit in the Review view.
 * @param {string} revision
 */
export const commitAddress = (revision) => `/review?what=commit&revision=${encodeURIComponent(revision)}`;
