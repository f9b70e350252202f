// The filter field: completes words of the filter language, and shows errors below their column.

import { Options } from "../../combobox.js";
import { el, fill } from "../../dom.js";

/** @typedef {{name: string, operators: string[], values: string[]}} Field */
/** @typedef {"field" | "operator" | "value" | "connective"} Expected */

/**
 * The state of the completion after some tokens: what is expected next, the last field, and whether the position is
 * inside the brackets of a list.
 * @typedef {{expected: Expected, field: Field | null, isInList: boolean}} State
 */

/** The tokens of the filter language (`milestones/query/`): strings, operators, brackets, words. */
const TOKEN = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|==|!=|<=|>=|&&|\|\||[=<>!~()[\],]|[^\s=<>!~()[\],"'&|]+/g;
const CONNECTIVES = ["and", "or"];
/** Other names of fields. */
const ALIASES = { label: "labels", created_at: "created", updated_at: "updated", due_at: "due" };
/** How operators of the server are written in a filter, where that differs. */
const OPERATORS = { "=": "==", in: ["in", "not in"], contains: ["contains", "not contains"] };
/** A judgement: a list of this length is read at a glance. */
const MAX_COMPLETIONS = 8;

/**
 * Return the completions at the end of a text: the typed prefix of a word, and the words that may replace it.
 * @param {string} text
 * @param {Map<string, Field>} fields
 */
export function completions(text, fields) {
  const tokens = [...text.matchAll(TOKEN)];
  const last = tokens.at(-1);
  const hasPrefix = last && last.index + last[0].length === text.length && !/[()[\],]$/.test(text);
  const prefix = hasPrefix ? last[0] : "";
  /** @type {State} */
  let state = { expected: "field", field: null, isInList: false };
  const complete = hasPrefix ? tokens.slice(0, -1) : tokens;
  for (const [token] of complete) state = nextState(fields, state, token);
  const { expected, field } = state;
  const typed = prefix.replace(/^["']/, "").toLowerCase();
  const words = {
    field: () => [...fields.keys()],
    operator: () => field?.operators.flatMap((operator) => OPERATORS[operator] ?? operator) ?? [],
    value: () => field?.values.map(quote) ?? [],
    connective: () => CONNECTIVES,
  }[expected]();
  const matching = words.filter((word) => word.toLowerCase().includes(typed) && word !== prefix);
  // Words that start with the typed text come first.
  matching.sort((one, other) => Number(startsWith(other, typed)) - Number(startsWith(one, typed)));
  return { prefix, words: matching.slice(0, MAX_COMPLETIONS) };
}

/**
 * @param {string} word
 * @param {string} typed
 */
const startsWith = (word, typed) => word.toLowerCase().replace(/^"/, "").startsWith(typed);

/**
 * Return a value as the filter language writes it, in quotes if necessary.
 * @param {string} value
 */
const quote = (value) => (/^[\w\-./@:+#]+$/.test(value) ? value : JSON.stringify(value));

/**
 * Return the state after a token.
 * @param {Map<string, Field>} fields
 * @param {State} state
 * @param {string} token
 * @returns {State}
 */
function nextState(fields, state, token) {
  const word = token.toLowerCase();
  if (word === "[") return { ...state, expected: "value", isInList: true };
  if (word === "]") return { ...state, expected: "connective", isInList: false };
  if (state.isInList) return { ...state, expected: "value" };
  if (word === ")") return { ...state, expected: "connective" };
  if (["(", "&&", "||", ...CONNECTIVES].includes(word)) return { ...state, expected: "field" };
  if (state.expected === "operator") return word === "not" ? state : { ...state, expected: "value" };
  if (state.expected === "value") return { ...state, expected: "connective" };
  const field = fields.get(ALIASES[word] ?? word);
  return field ? { ...state, expected: "operator", field } : state;
}

/**
 * Return the filter field.
 * @param {string} value
 * @param {{example: string, apply: (text: string) => any, fields: () => Promise<Map<string, Field>>}} options `apply`
 *   is called on Enter
 */
export function filterField(value, { example, apply, fields }) {
  const input = el("input.mono", {
    type: "text", value, placeholder: example, spellcheck: "false", autocomplete: "off",
    role: "combobox", "aria-label": "Filter", "aria-autocomplete": "list", "aria-controls": "filter-words",
  });
  const list = el("ul.words.mono.card", { id: "filter-words", role: "listbox", "aria-label": "Completions" });
  const problem = el("div.filter-problem", { id: "filter-problem", role: "alert" });
  let prefix = "";
  const choose = (/** @type {string} */ word) => {
    const end = input.selectionStart ?? input.value.length;
    input.setRangeText(`${word} `, end - prefix.length, end, "end");
    offer();
  };
  const options = new Options(input, list, { render: (word) => word, choose });

  function show(/** @type {string[]} */ words) {
    list.hidden = !words.length || document.activeElement !== input;
    input.ariaExpanded = String(!list.hidden);
    options.show(words);
  }

  async function offer() {
    const text = input.value.slice(0, input.selectionStart ?? undefined);
    const completion = completions(text, await fields());
    prefix = completion.prefix;
    show(completion.words);
  }

  function handleKey(/** @type {KeyboardEvent} */ event) {
    const isTabOnOption = event.key === "Tab" && options.selected >= 0; // chooses the option, as Enter does
    const isOpen = options.items.length > 0;
    if (options.handleKey(isTabOnOption ? "Enter" : event.key)) return event.preventDefault();
    if (event.key !== "Enter" && !(event.key === "Escape" && isOpen)) return;
    event.preventDefault();
    show([]);
    if (event.key === "Enter") apply(input.value.trim());
  }

  input.addEventListener("input", () => {
    showError(null);
    offer();
  });
  input.addEventListener("focus", offer);
  input.addEventListener("keydown", handleKey);
  input.addEventListener("blur", () => show([]));
  input.addEventListener("scroll", () => problem.style.setProperty("--scrolled", `${-input.scrollLeft}px`));
  show([]);

  /**
   * Show an error below its column; null removes it. An invisible copy of the text before the column gives the offset.
   * @param {any} error
   */
  function showError(error) {
    input.toggleAttribute("aria-invalid", Boolean(error));
    const column = error?.data.column;
    const before = [...input.value].slice(0, (column ?? 1) - 1).join("");
    const pointer = column && el("div.column.mono", { "aria-hidden": "true" }, el("span", before), el("b", "▲"));
    fill(problem, error && [pointer, el("strong", error.message), error.hint && el("p", error.hint)]);
  }

  return { node: el("div.filter-line", input, list, problem), input, showError };
}
