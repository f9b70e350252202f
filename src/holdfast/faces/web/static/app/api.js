// The API through an MCP host: requests to /api/ become calls of the tools with the same name.

import * as web from "../api.js";
import { request } from "./host.js";

export const Problem = web.Problem;
/** The server shortens longer answers; 10 MiB is the limit of a response. */
const MAX_BYTES = 10_485_760;
/** Responses have no URL here. */
export const apiUrl = () => null;

/**
 * Read: call the tool that the last part of the path names, with the query as its arguments.
 * @param {string} path
 * @param {Record<string, any>} query
 */
export function get(path, query = {}) {
  const decode = (value) => {
    if (value === "true") return true;
    return value === "false" ? false : value;
  };
  return call(path, Object.entries(query).map(([name, value]) => [name, decode(value)]));
}

/**
 * Write. With `version`, the version that the user saw, the server refuses the write if there is a newer one.
 * @param {string} path
 * @param {object} body
 * @param {{version?: number | null}} options
 */
export const post = (path, body = {}, { version } = {}) => call(path, Object.entries({ ...body, if_version: version }));

/**
 * Call a tool; empty arguments are left out.
 * @param {string} path
 * @param {[string, any][]} entries
 */
async function call(path, entries) {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const named = { ...Object.fromEntries(given), max_bytes: MAX_BYTES };
  const parameters = { name: path.split("/").at(-1), arguments: named };
  const result = await request("tools/call", parameters).catch(throwProblem);
  if (!result.isError) return result.structuredContent;
  throw new Problem(400, result.structuredContent?.error ?? { message: result.content?.[0]?.text });
}

/**
 * Throw a JSON-RPC error as a problem. Hosts differ in how much of the server's error they pass on in its data.
 * @param {{message: string, data?: any}} error
 * @returns {never}
 */
function throwProblem({ message, data }) {
  const error = data?.structuredContent?.error;
  throw new Problem(400, { ...error, message, kind: data?.type ?? error?.kind, hint: data?.hint, data });
}
