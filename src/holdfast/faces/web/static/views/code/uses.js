// Where names are defined and symbols are used, as the dependency graph knows it.

import { get } from "../../api.js";

/** @import { View } from "../../view.js" */
/** @import { CodeSymbol } from "./outline.js" */

/**
 * The other end of edges of the graph: a symbol, or a file without a name.
 * @typedef {{name: string, file: string, line: number | null, count: number,
 *   certainty: "exact" | "likely" | "guess"}} Use
 */

/** The maximum that the server accepts as `limit`. */
const MAX_NODES = 1000;
/** The number of uses that are shown; a judgement: more are searched rather than read. */
const MAX_USES = 100;
const CERTAINTIES = ["exact", "likely", "guess"];

/**
 * Return the definitions of the names in a text, and the uses of the symbol around it.
 * @param {View} view
 * @param {string} file
 * @param {CodeSymbol | null} symbol
 * @param {string} text
 * @returns {Promise<{definitions: Use[], uses: Use[], total: number}>}
 */
export async function findUses(view, file, symbol, text) {
  const focus = symbol ? `${file}::${symbol.path}` : file;
  const query = { dag_type: "full-dependency", format: "json", focus, depth: 1, limit: MAX_NODES };
  const graph = await get("analyze/analyze_dependency_graph", query, view).catch((problem) => {
    if (problem.kind === "not_found") return { nodes: [], edges: [] }; // a symbol that the graph leaves out
    throw problem;
  });
  /** @type {Map<string, any>} */
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const words = new Set(text.match(/[\p{L}\p{N}_$]+/gu));
  const usesOf = (/** @type {any[]} */ edges, /** @type {"from" | "to"} */ end) => merge(edges.flatMap((edge) => {
    const node = nodes.get(edge[end]);
    return node?.file_path && edge[end] !== focus ? [{ ...edge, node }] : [];
  }));
  const isNamed = (/** @type {{to: string}} */ { to }) => words.has(to.split(/::|\.|\//).at(-1) ?? "");
  const definitions = usesOf(graph.edges.filter((edge) => edge.from === focus && isNamed(edge)), "to");
  const uses = symbol ? usesOf(graph.edges.filter((edge) => edge.to === focus), "from") : [];
  return { definitions, uses: uses.slice(0, MAX_USES), total: uses.length };
}

/**
 * Return the name in the text at a point of the window, or an empty text.
 * @param {number} x
 * @param {number} y
 */
export function wordAt(x, y) {
  const document_ = /** @type {any} */ (document); // browsers have one of these two
  const range = document_.caretPositionFromPoint?.(x, y) ?? document_.caretRangeFromPoint?.(x, y);
  const node = range?.offsetNode ?? range?.startContainer, offset = range?.offset ?? range?.startOffset ?? 0;
  if (node?.nodeType !== Node.TEXT_NODE) return "";
  const before = node.data.slice(0, offset).match(/[\p{L}\p{N}_$]*$/u)?.[0] ?? "";
  return before + (node.data.slice(offset).match(/^[\p{L}\p{N}_$]*/u)?.[0] ?? "");
}

/**
 * Merge edges with the same other end, and order them by certainty and place.
 * @param {{node: any, weight: number, certainty: Use["certainty"]}[]} edges
 * @returns {Use[]}
 */
function merge(edges) {
  const rank = (/** @type {{certainty: string}} */ { certainty }) => CERTAINTIES.indexOf(certainty);
  const uses = [...Map.groupBy(edges, ({ node }) => node.id).values()].map((group) => {
    const [best] = group.toSorted((one, other) => rank(one) - rank(other));
    const { label, file_path: file, line_number: line, node_type: type } = best.node;
    const count = group.reduce((sum, { weight }) => sum + weight, 0);
    return { name: type === "Module" ? "" : label, file, line, count, certainty: best.certainty };
  });
  const place = (/** @type {Use} */ { file, line }) => `${file}:${String(line ?? 0).padStart(9, "0")}`;
  return uses.toSorted((one, other) => rank(one) - rank(other) || (place(one) < place(other) ? -1 : 1));
}
