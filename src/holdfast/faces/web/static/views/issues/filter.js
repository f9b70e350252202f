// The filter field: completes the words of the filter language and shows errors below their column.

import { Options } from "../../combobox.js";
import { el, fill } from "../../dom.js";

/** @typedef {{name: string, operators: string[], values: string[]}} Field */
/** @typedef {"field" | "operator" | "value" | "joint"} Expected */
/** @typedef {{expected: Expected, field: Field | null, listing: boolean}} State `listing`: inside brackets */

/** The tokens of `milestones/query/`: strings, operators, brackets, words. */
const TOKEN = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|==|!=|<=|>=|&&|\|\||[=<>!~()[\],]|[^\s=<>!~()[\],"'&|]+/g;
const JOINTS = ["and", "or"];
const ALIASES = { label: "labels", created_at: "created", updated_at: "updated", due_at: "due" };
const OPERATORS = { "=": "==", in: ["in", "not in"], contains: ["contains", "not contains"] };
/** A judgement: a list that is taken in at a glance. */
const MAX_COMPLETIONS = 8;

/**
 * Return the completions at the end of a text: the prefix that has been typed and the words that may replace it.
 * @param {string} text
 * @param {Map<string, Field>} fields
 */
export function completions(text, fields) {
  const tokens = [...text.matchAll(TOKEN)];
  const last = tokens.at(-1);
  const hasPrefix = last && last.index + last[0].length === text.length && !/[()[\],]$/.test(text);
  const prefix = hasPrefix ? last[0] : "";
  /** @type {State} */
  let state = { expected: "field", field: null, listing: false };
  for (const [token] of hasPrefix ? tokens.slice(0, -1) : tokens) state = next(fields, state, token);
  const { expected, field } = state;
  const typed = prefix.replace(/^["']/, "").toLowerCase();
  const words = {
    field: () => [...fields.keys()],
    operator: () => field?.operators.flatMap((sign) => OPERATORS[sign] ?? sign) ?? [],
    value: () => field?.values.map(quoted) ?? [],
    joint: () => JOINTS,
  }[expected]();
  const matching = words.filter((word) => word.toLowerCase().includes(typed) && word !== prefix);
  matching.sort((one, other) => startsWith(other, typed) - startsWith(one, typed));
  return { prefix, words: matching.slice(0, MAX_COMPLETIONS) };
}

/**
 * @param {string} word
 * @param {string} typed
 */
const startsWith = (word, typed) => Number(word.toLowerCase().replace(/^"/, "").startsWith(typed));

/** @param {string} value */
const quoted = (value) => (/^[\w\-./@:+#]+$/.test(value) ? value : JSON.stringify(value));

/**
 * Return what is expected after a token.
 * @param {Map<string, Field>} fields
 * @param {State} now
 * @param {string} token
 * @returns {State}
 */
function next(fields, now, token) {
  const word = token.toLowerCase();
  if (word === "[") return { ...now, expected: "value", listing: true };
  if (word === "]") return { ...now, expected: "joint", listing: false };
  if (now.listing) return { ...now, expected: "value" };
  if (word === ")") return { ...now, expected: "joint" };
  if (word === "(" || word === "&&" || word === "||" || JOINTS.includes(word)) return { ...now, expected: "field" };
  if (now.expected === "operator") return word === "not" ? now : { ...now, expected: "value" };
  if (now.expected === "value") return { ...now, expected: "joint" };
  const field = fields.get(ALIASES[word] ?? word);
  return field ? { ...now, expected: "operator", field } : now;
}

/**
 * Return the filter field.
 * @param {string} value
 * @param {{example: string, apply: (text: string) => any, fields: () => Promise<Map<string, Field>>}} options `apply`
 *   is called on Enter
 */
export function filterLine(value, { example, apply, fields }) {
  const input = el("input.mono", {
    type: "text", value, placeholder: example, spellcheck: "false", autocomplete: "off",
    role: "combobox", "aria-label": "Filter", "aria-autocomplete": "list", "aria-controls": "filter-words",
  });
  const list = el("ul.words.mono.card", { id: "filter-words", role: "listbox", "aria-label": "Completions" });
  const problem = el("div.filter-problem", { id: "filter-problem", role: "alert" });
  let prefix = "";
  const take = (/** @type {string} */ word) => {
    const end = input.selectionStart ?? input.value.length;
    input.setRangeText(`${word} `, end - prefix.length, end, "end");
    offer();
  };
  const options = new Options(input, list, { render: (word) => word, take });

  function show(/** @type {string[]} */ words) {
    list.hidden = !words.length || document.activeElement !== input;
    input.ariaExpanded = String(!list.hidden);
    options.show(words);
  }

  async function offer() {
    const found = completions(input.value.slice(0, input.selectionStart ?? undefined), await fields());
    prefix = found.prefix;
    show(found.words);
  }

  function press(/** @type {KeyboardEvent} */ event) {
    const takes = event.key === "Tab" && options.selected >= 0;
    const isOpen = options.items.length > 0;
    if (options.handleKey(takes ? "Enter" : event.key)) return event.preventDefault();
    if (event.key !== "Enter" && !(event.key === "Escape" && isOpen)) return;
    event.preventDefault();
    show([]);
    if (event.key === "Enter") apply(input.value.trim());
  }

  input.addEventListener("input", () => (fail(null), offer()));
  input.addEventListener("focus", offer);
  input.addEventListener("keydown", press);
  input.addEventListener("blur", () => show([]));
  input.addEventListener("scroll", () => problem.style.setProperty("--scrolled", `${-input.scrollLeft}px`));
  show([]);

  /**
   * Show an error below its column, or remove it. The text before the column gives the width.
   * @param {any} mistake
   */
  function fail(mistake) {
    input.toggleAttribute("aria-invalid", Boolean(mistake));
    const column = mistake?.data.column;
    const before = [...input.value].slice(0, (column ?? 1) - 1).join("");
    const under = column && el("div.column.mono", { "aria-hidden": "true" }, el("span", before), el("b", "▲"));
    fill(problem, mistake && [under, el("strong", mistake.message), mistake.hint && el("p", mistake.hint)]);
  }

  return { node: el("div.filter-line", input, list, problem), input, fail };
}
