// The API over a host: what the page requests from /api/ becomes calls of the tools of the same name.

import * as web from "../api.js";
import { request } from "./host.js";

export const Problem = web.Problem;
/** An answer has no address here. */
export const apiUrl = () => null;

/**
 * Read: the last part of a path is the tool, the query its arguments.
 * @param {string} path
 * @param {Record<string, any>} query
 */
export function get(path, query = {}) {
  const decode = (value) => (value === "true" || value === "false" ? value === "true" : value);
  return call(path, Object.entries(query).map(([name, value]) => [name, decode(value)]));
}

/**
 * Write. With `version`, the version that the user saw, the server refuses if it has changed since.
 * @param {string} path
 * @param {object} body
 * @param {{version?: number | null}} options
 */
export const post = (path, body = {}, { version } = {}) => call(path, Object.entries({ ...body, if_version: version }));

/**
 * @param {string} path
 * @param {[string, any][]} entries
 */
async function call(path, entries) {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const parameters = { name: path.split("/").at(-1), arguments: Object.fromEntries(given) };
  const answer = await request("tools/call", parameters).catch(refuse);
  if (!answer.isError) return answer.structuredContent;
  throw new Problem(400, answer.structuredContent?.error ?? { message: answer.content?.[0]?.text });
}

/**
 * Hosts differ in what they pass on of an error; errors of the protocol itself carry ours as their data.
 * @param {{message: string, data?: any}} error
 * @returns {never}
 */
function refuse({ message, data }) {
  const error = data?.structuredContent?.error;
  throw new Problem(400, { ...error, message, kind: data?.type ?? error?.kind, hint: data?.hint, data });
}
