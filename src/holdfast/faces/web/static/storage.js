// The browser's storage for the page. If the browser denies it, values last until the page is reloaded.

/** A judgement: 2000 marks or short drafts stay far below the 5 MiB that browsers grant an origin. */
const MAX_LIST_ITEMS = 2000;

/**
 * Replaces the storage while the page is open if the browser denies it.
 * @type {Map<string, string>}
 */
const fallback = new Map();

/** @typedef {"local" | "session"} Area whether a text is stored permanently or while the tab is open */

/**
 * Return the text stored under a name, or null.
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
 * Delete the text stored under a name.
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
 * Return a storage area. Reading the property throws if the browser or a sandbox denies storage.
 * @param {Area} area
 */
const storage = (area) => (area === "local" ? localStorage : sessionStorage);

/**
 * Return the value stored under a name, or null if there is none or it is not valid JSON.
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

/**
 * Return the list stored under a name; empty if there is none.
 * @param {string} name
 * @returns {any[]}
 */
export const loadList = (name) => [loadValue(name) ?? []].flat();

/**
 * Store the last items of a list under a name.
 * @param {string} name
 * @param {any[]} items
 */
export const saveList = (name, items) => saveValue(name, items.slice(-MAX_LIST_ITEMS));

/** The name of the set of file versions that the user marked as seen in Review. */
export const SEEN_FILES = "review seen";
/** The name of the set of remarks that the user marked as done in Review. */
export const DONE_REMARKS = "review done";

/**
 * Return whether a mark is in a stored set.
 * @param {string} set
 * @param {string} mark
 */
export const isMarked = (set, mark) => loadList(set).includes(mark);

/**
 * Add a mark to a stored set or remove it, then send the document a "marked" event.
 * @param {string} set
 * @param {string} mark
 * @param {boolean} isOn
 */
export function setMark(set, mark, isOn = true) {
  const marks = loadList(set).filter((other) => other !== mark);
  if (isOn) marks.push(mark);
  saveList(set, marks);
  document.dispatchEvent(new Event("marked"));
}
