// The files of a review as a tree of folders, with a filter.

import { button } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { changeCounts } from "./file.js";

/** @import { FileDiff } from "./file.js" */

/** @typedef {{folders: Map<string, Folder>, files: FileDiff[]}} Folder a folder by the names of its folders */

/** The number of files from which a filter is offered; a judgement: fewer are seen at a glance. */
const MIN_FILES_FILTERED = 10;
/** The letters of git for what became of a file; a changed file needs none. */
const KIND_MARKS = { added: "A", deleted: "D", renamed: "R", changed: "" };

/** The tree beside the diff. */
export class FileTree {
  /** @param {(file: FileDiff) => void} jump called for a file that was clicked */
  constructor(jump) {
    this.jump = jump;
    /** @type {FileDiff[]} */
    this.files = [];
    /** @type {Set<string>} the folders that the user has folded */
    this.folded = new Set();
    this.filter = el("input", {
      type: "search", placeholder: "Filter files", "aria-label": "Filter files", on: { input: () => this.draw() },
    });
    this.list = el("ul.plain-list");
    this.node = el("nav", { "aria-label": "Files" }, this.filter, this.list);
  }

  /** @param {FileDiff[]} files */
  show(files) {
    this.files = files;
    this.filter.hidden = files.length < MIN_FILES_FILTERED;
    this.draw();
  }

  draw() {
    const wanted = this.filter.hidden ? "" : this.filter.value.trim().toLowerCase();
    const shown = this.files.filter(({ file }) => file.path.toLowerCase().includes(wanted));
    fill(this.list, shown.length ? this.items(folderOf(shown), "") : el("li.quiet", "No file matches"));
  }

  /**
   * Return the items of a folder: first its folders, then its files. A folder with nothing but a folder is joined to
   * it.
   * @param {Folder} folder
   * @param {string} path
   * @returns {HTMLElement[]}
   */
  items({ folders, files }, path) {
    const nested = [...folders].map(([name, folder]) => {
      let [label, inner] = [name, folder];
      while (inner.files.length === 0 && inner.folders.size === 1) {
        const [[child, next]] = inner.folders;
        [label, inner] = [`${label}/${child}`, next];
      }
      return this.folderItem(label, inner, `${path}${label}/`);
    });
    return [...nested, ...files.map((file) => el("li", this.fileButton(file)))];
  }

  /**
   * @param {string} name
   * @param {Folder} folder
   * @param {string} path
   */
  folderItem(name, folder, path) {
    const isFiltered = this.filter.value.trim() !== "";
    const details = el("details", { open: isFiltered || !this.folded.has(path) },
      el("summary.one-line", { title: path }, name), el("ul.plain-list", this.items(folder, path)));
    details.addEventListener("toggle", () => {
      if (details.open) this.folded.delete(path);
      else this.folded.add(path);
    });
    return el("li", details);
  }

  /** @param {FileDiff} diff */
  fileButton(diff) {
    const { file, seenBox: { checked: isSeen } } = diff;
    const content = [el("span.one-line", file.path.split("/").at(-1)),
      el(`span.kind.${file.kind}`, { title: file.kind }, KIND_MARKS[file.kind]), changeCounts(file),
      el("span.tick", isSeen && "✓"), isSeen && el("span.visually-hidden", "seen")];
    return button(content, () => this.jump(diff), { class: "button plain", title: file.path });
  }
}

/**
 * Return the root folder of some files.
 * @param {FileDiff[]} files
 */
function folderOf(files) {
  /** @type {Folder} */
  const root = { folders: new Map(), files: [] };
  for (const diff of files) {
    let folder = root;
    for (const name of diff.file.path.split("/").slice(0, -1)) {
      const inner = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.files.push(diff);
  }
  return root;
}
