// Asking the server: reads that are sent again only when something changed, writes, and failures in its words.

const kept = new Map();
const MOST_KEPT = 200;
let asked = 0;

/** A failure, in the server's words; `hint` says what to do. */
export class Problem extends Error {
  constructor(status, error = {}) {
    super(error.message ?? "The server could not be reached.");
    this.status = status;
    this.kind = error.kind ?? "unreachable";
    this.hint = error.hint ?? (status ? "" : "See whether it still runs, then try again.");
    this.data = error.data ?? {};
  }
}

/** Return the address of something below /api/, for a link to its JSON. */
export function apiUrl(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if ((one ?? "") !== "") parameters.append(name, one);
  }
  return `/api/${path}${parameters.size ? `?${parameters}` : ""}`;
}

/** Read. While nothing changed on the server the very same object comes back, and never one that was overtaken. */
export async function get(path, query = {}, { signal } = {}) {
  const url = apiUrl(path, query);
  const known = kept.get(url), order = (asked += 1);
  const response = await ask(url, { signal, headers: known ? { "If-None-Match": known.tag } : {} });
  const isSame = response.status === 304 && known;
  const { tag, value } = isSame ? known : { tag: response.headers.get("ETag"), value: await answer(response) };
  const newest = kept.get(url);
  if (newest?.order > order) return newest.value; // a later question was answered before this one
  kept.delete(url);
  if (tag) kept.set(url, { tag, value, order });
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return value;
}

/** Return an answer; `none` where the repository has nothing yet that could answer. */
export const orNone = (answer, none) =>
  answer.catch((problem) => (problem.kind === "not_initialized" ? none : Promise.reject(problem)));

/**
 * Write. `version` is the one that was seen: a newer one is a conflict. `signal` is only for what changes nothing: who
 * leaves a view still means what was done in it.
 */
export async function post(path, body = {}, { signal, version } = {}) {
  const headers = { "Content-Type": "application/json" };
  if (version !== undefined && version !== null) headers["If-Match"] = `"${version}"`;
  return answer(await ask(`/api/${path}`, { method: "POST", signal, headers, body: JSON.stringify(body) }));
}

async function ask(url, options) {
  try {
    return await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem(0);
  }
}

async function answer(response) {
  const value = await response.json().catch((failure) => {
    if (failure.name === "AbortError") throw failure; // left while it came in: half an answer is none
    return {};
  });
  if (response.ok) return value;
  const problem = new Problem(response.status, value.error ?? { message: value.detail });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("signed-out", { detail: problem }));
  throw problem;
}
