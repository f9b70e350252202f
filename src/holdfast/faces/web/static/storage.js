// What this browser stores for the page; where it denies storage, everything works but is forgotten on reload.

/** Marks or drafts that are stored; a bound of our own, far below the 5 MiB that browsers grant an origin. */
const MAX_ENTRIES = 2000;

/**
 * Stands in for denied storage while the page is open.
 * @type {Map<string, string>}
 */
const fallback = new Map();

/** @typedef {"local" | "session"} Area how long a text is kept: for good, or as long as the tab is open */

/**
 * Return the stored text of a name, or null.
 * @param {string} name
 * @param {Area} area
 */
export function loadText(name, area = "local") {
  try {
    return storage(area).getItem(name);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/**
 * Store a text under a name.
 * @param {string} name
 * @param {string} text
 * @param {Area} area
 */
export function saveText(name, text, area = "local") {
  try {
    storage(area).setItem(name, text);
  } catch {
    fallback.set(name, text);
  }
}

/**
 * Delete the stored text of a name.
 * @param {string} name
 * @param {Area} area
 */
export function deleteText(name, area = "local") {
  fallback.delete(name);
  try {
    storage(area).removeItem(name);
  } catch {
    // Nothing was stored.
  }
}

/**
 * The property itself throws where the browser or a sandbox denies storage, so it is only read inside a `try`.
 * @param {Area} area
 */
const storage = (area) => (area === "local" ? localStorage : sessionStorage);

/**
 * Return the stored value of a name; null if there is none or it is damaged.
 * @param {string} name
 * @returns {any}
 */
export function loadValue(name) {
  try {
    return JSON.parse(loadText(name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Store a value as JSON under a name.
 * @param {string} name
 * @param {any} value
 */
export const saveValue = (name, value) => saveText(name, JSON.stringify(value));

/** @param {string} name */
const loadList = (name) => [loadValue(name) ?? []].flat();

/** The set of file versions that were marked as seen in Review. */
export const SEEN_FILES = "review seen";
/** The set of remarks that were marked as done in Review. */
export const DONE_REMARKS = "review done";

/**
 * Return whether a mark is in a stored set.
 * @param {string} set
 * @param {string} mark
 */
export const isMarked = (set, mark) => loadList(set).includes(mark);

/**
 * Add a mark to a stored set or remove it; the document then gets a "marked" event.
 * @param {string} set
 * @param {string} mark
 * @param {boolean} on
 */
export function setMark(set, mark, on = true) {
  const others = loadList(set).filter((one) => one !== mark);
  saveValue(set, [...others, ...(on ? [mark] : [])].slice(-MAX_ENTRIES));
  document.dispatchEvent(new Event("marked"));
}

/**
 * Unsent remarks of one repository, shared by all windows. The reason why sending one failed is not stored.
 */
export class Drafts {
  /** @param {string} repository */
  constructor(repository) {
    this.name = `review drafts ${repository}`;
    /** @type {any[]} */
    this.list = [];
    this.reload();
  }

  /** Read the stored drafts again, as another window may have changed them; a known draft stays the same object. */
  reload() {
    const known = new Map(this.list.map((draft) => [draft.key, draft]));
    this.list = loadList(this.name).map((draft) => Object.assign(known.get(draft.key) ?? {}, draft));
  }

  save(list = this.list) {
    this.list = list;
    saveValue(this.name, list.slice(-MAX_ENTRIES).map(({ problem, ...draft }) => draft));
  }

  /** @param {object} draft */
  remove(draft) {
    this.save(this.list.filter((one) => one !== draft));
  }
}
