// The filter line: completion from the server's own grammar, and mistakes shown under the column they are at.

import { el, fill } from "../../dom.js";

const TOKEN = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|==|!=|<=|>=|&&|\|\||[=<>!~()[\],]|[^\s=<>!~()[\],"'&|]+/g;
const JOINTS = ["and", "or"];
const ALIASES = { label: "labels", created_at: "created", updated_at: "updated", due_at: "due" };
const MOST = 8;

/** Return what may stand at the end of a text: the part that is begun, and the words that may replace it. */
export function completions(text, fields) {
  const tokens = [...text.matchAll(TOKEN)];
  const last = tokens.at(-1);
  const begun = last && last.index + last[0].length === text.length && !/[()[\],]$/.test(text) ? tokens.pop()[0] : "";
  const { expected, field } = tokens.reduce(follow.bind(null, fields), { expected: "field", field: null, listing: false });
  const typed = begun.replace(/^["']/, "").toLowerCase();
  const words = {
    field: () => [...fields.keys()],
    operator: () => field.operators.flatMap((sign) => (sign === "=" ? ["=="] : sign === "in" || sign === "contains" ? [sign, `not ${sign}`] : [sign])),
    value: () => field.values.map(written),
    joint: () => JOINTS,
  }[expected]();
  const fitting = words.filter((word) => word.toLowerCase().includes(typed) && word !== begun);
  fitting.sort((one, other) => starts(other, typed) - starts(one, typed));
  return { begun, words: fitting.slice(0, MOST) };
}

function starts(word, typed) {
  return Number(word.toLowerCase().replace(/^"/, "").startsWith(typed));
}

function written(value) {
  return /^[\w\-./@:+#]+$/.test(value) ? value : JSON.stringify(value);
}

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
  const input = el("input", {
    class: "mono", type: "text", value, role: "combobox", spellcheck: "false", autocomplete: "off", "aria-label": "Filter", "aria-autocomplete": "list",
    "aria-controls": "filter-words", "aria-expanded": "false", placeholder: example,
  });
  const list = el("ul", { id: "filter-words", class: "words mono", role: "listbox", "aria-label": "Completions", hidden: true });
  const problem = el("div", { class: "filter-problem", id: "filter-problem", role: "alert" });
  const state = { words: [], begun: "", chosen: -1 };

  async function offer() {
    const fields = await learn();
    const before = input.value.slice(0, input.selectionStart);
    Object.assign(state, completions(before, fields), { chosen: -1 });
    draw();
  }

  function draw() {
    const open = state.words.length > 0 && document.activeElement === input;
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    fill(list, state.words.map((word, number) => el("li", {
      id: `filter-word-${number}`, role: "option", "aria-selected": String(number === state.chosen),
      on: { pointerdown: (event) => { event.preventDefault(); take(word); } },
    }, word)));
    if (state.chosen >= 0) input.setAttribute("aria-activedescendant", `filter-word-${state.chosen}`);
    else input.removeAttribute("aria-activedescendant");
  }

  function close() {
    state.words = [];
    draw();
  }

  function take(word) {
    const end = input.selectionStart;
    const start = end - state.begun.length;
    input.setRangeText(`${word} `, start, end, "end");
    offer();
  }

  function pressed(event) {
    const count = state.words.length;
    if (["ArrowDown", "ArrowUp"].includes(event.key) && count) {
      const step = event.key === "ArrowDown" ? 1 : state.chosen < 0 ? 0 : -1;
      state.chosen = (state.chosen + step + count) % count;
      draw();
    } else if ((event.key === "Enter" || event.key === "Tab") && state.chosen >= 0) {
      take(state.words[state.chosen]);
    } else if (event.key === "Enter") {
      close();
      apply(input.value.trim());
    } else if (event.key === "Escape" && count) {
      close();
    } else return;
    event.preventDefault();
  }

  input.addEventListener("input", () => { fail(null); offer(); });
  input.addEventListener("focus", offer);
  input.addEventListener("keydown", pressed);
  input.addEventListener("blur", close);
  input.addEventListener("scroll", () => problem.style.setProperty("--scrolled", `${-input.scrollLeft}px`));

  /** Show a mistake under its column, or with null that there is none. The text before it is its measure. */
  function fail(mistake) {
    input.toggleAttribute("aria-invalid", Boolean(mistake));
    const column = mistake?.data.column;
    const before = [...input.value].slice(0, (column ?? 1) - 1).join("");
    const under = column && el("div", { class: "column mono", "aria-hidden": "true" }, el("span", {}, before), el("b", {}, "▲"));
    fill(problem, mistake && [under, el("strong", {}, mistake.message), mistake.hint ? el("p", {}, mistake.hint) : null]);
  }

  const node = el("div", { class: "filter-line" }, input, list, problem);
  return { node, input, fail };
}
