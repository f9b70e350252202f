// The filter line: completion from the server's own grammar, and mistakes shown under the column they are at.

import { Choices } from "../../combobox.js";
import { el, fill } from "../../dom.js";

const TOKEN = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|==|!=|<=|>=|&&|\|\||[=<>!~()[\],]|[^\s=<>!~()[\],"'&|]+/g;
const JOINTS = ["and", "or"];
const ALIASES = { label: "labels", created_at: "created", updated_at: "updated", due_at: "due" };
const OPERATORS = { "=": "==", in: ["in", "not in"], contains: ["contains", "not contains"] };
const MOST = 8;

/** Return what may stand at the end of a text: the part that is begun, and the words that may replace it. */
export function completions(text, fields) {
  const tokens = [...text.matchAll(TOKEN)];
  const last = tokens.at(-1);
  const isBegun = last && last.index + last[0].length === text.length && !/[()[\],]$/.test(text);
  const begun = isBegun ? tokens.pop()[0] : "";
  const start = { expected: "field", field: null, listing: false };
  const { expected, field } = tokens.reduce(follow.bind(null, fields), start);
  const typed = begun.replace(/^["']/, "").toLowerCase();
  const words = {
    field: () => [...fields.keys()],
    operator: () => field.operators.flatMap((sign) => OPERATORS[sign] ?? sign),
    value: () => field.values.map(written),
    joint: () => JOINTS,
  }[expected]();
  const fitting = words.filter((word) => word.toLowerCase().includes(typed) && word !== begun);
  fitting.sort((one, other) => starts(other, typed) - starts(one, typed));
  return { begun, words: fitting.slice(0, MOST) };
}

const starts = (word, typed) => Number(word.toLowerCase().replace(/^"/, "").startsWith(typed));

const written = (value) => (/^[\w\-./@:+#]+$/.test(value) ? value : JSON.stringify(value));

function follow(fields, now, [token]) {
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

/** Return the filter line; `apply(text)` asks for it, `learn()` gives the fields. */
export function filterLine(value, { example, apply, learn }) {
  const input = el("input.mono", {
    type: "text", value, placeholder: example, spellcheck: "false", autocomplete: "off",
    role: "combobox", "aria-label": "Filter", "aria-autocomplete": "list", "aria-controls": "filter-words",
  });
  const list = el("ul.words.mono.card", { id: "filter-words", role: "listbox", "aria-label": "Completions" });
  const problem = el("div.filter-problem", { id: "filter-problem", role: "alert" });
  let begun = "";
  const take = (word) => {
    const end = input.selectionStart;
    input.setRangeText(`${word} `, end - begun.length, end, "end");
    offer();
  };
  const choices = new Choices(input, list, { line: (word) => word, take });

  function show(words) {
    list.hidden = !words.length || document.activeElement !== input;
    input.ariaExpanded = !list.hidden;
    choices.show(words);
  }

  async function offer() {
    const found = completions(input.value.slice(0, input.selectionStart), await learn());
    begun = found.begun;
    show(found.words);
  }

  function pressed(event) {
    const isTab = event.key === "Tab" && choices.chosen >= 0;
    const isOpen = choices.items.length > 0;
    if (choices.press(isTab ? "Enter" : event.key)) return event.preventDefault();
    if (event.key !== "Enter" && !(event.key === "Escape" && isOpen)) return;
    event.preventDefault();
    show([]);
    if (event.key === "Enter") apply(input.value.trim());
  }

  input.addEventListener("input", () => (fail(null), offer()));
  input.addEventListener("focus", offer);
  input.addEventListener("keydown", pressed);
  input.addEventListener("blur", () => show([]));
  input.addEventListener("scroll", () => problem.style.setProperty("--scrolled", `${-input.scrollLeft}px`));
  show([]);

  /** Show a mistake under its column, or with null that there is none. The text before it is its measure. */
  function fail(mistake) {
    input.toggleAttribute("aria-invalid", Boolean(mistake));
    const column = mistake?.data.column;
    const before = [...input.value].slice(0, (column ?? 1) - 1).join("");
    const under = column && el("div.column.mono", { "aria-hidden": "true" }, el("span", before), el("b", "▲"));
    fill(problem, mistake && [under, el("strong", mistake.message), mistake.hint && el("p", mistake.hint)]);
  }

  return { node: el("div.filter-line", input, list, problem), input, fail };
}
