// Asking through the host: what the page asks of /api/ becomes calls of the tools with the same names.

import * as web from "../api.js";
import { request } from "./host.js";

export const Problem = web.Problem;
export const apiUrl = () => null; // the JSON of an answer has no address here

/** Read: the last part of a path is the tool, the query its arguments. */
export function get(path, query = {}) {
  const spelled = (value) => (value === "true" || value === "false" ? value === "true" : value);
  return call(path, Object.entries(query).map(([name, value]) => [name, spelled(value)]));
}

/** Write. `version` is the one that was seen: a newer one is a conflict. */
export const post = (path, body = {}, { version } = {}) => call(path, Object.entries({ ...body, if_version: version }));

async function call(path, entries) {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const asked = { name: path.split("/").at(-1), arguments: Object.fromEntries(given) };
  const answer = await request("tools/call", asked).catch(refused);
  if (!answer.isError) return answer.structuredContent;
  throw new Problem(400, answer.structuredContent?.error ?? { message: answer.content?.[0]?.text });
}

// Of a failure hosts pass on what they like; the protocol's own errors carry ours as their data.
function refused({ message, data }) {
  const error = data?.structuredContent?.error;
  throw new Problem(400, { ...error, message, kind: data?.type ?? error?.kind, hint: data?.hint, data });
}
