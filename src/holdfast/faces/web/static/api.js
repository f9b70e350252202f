// Requests to the server's API: cached reads, writes that name a version, and errors in the server's wording.

/**
 * Responses by URL, the least recently used first. `order` is the number of the request.
 * @type {Map<string, {tag: string, value: any, order: number}>}
 */
const cache = new Map();
/** A judgement: enough for all requests of several views. The server limits the size of each response. */
const MAX_CACHED_RESPONSES = 200;
let requestCount = 0;

/** @typedef {Record<string, any>} Query null, undefined and empty values are left out */

/** An error in the server's wording; `hint` says what to do. Status 0 means that the server did not respond. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{message?: string, kind?: string, hint?: string, data?: Record<string, any>}} error
   */
  constructor(status, error = {}) {
    super(error.message ?? "The server could not be reached.");
    this.status = status;
    this.kind = error.kind ?? "unreachable";
    this.hint = error.hint ?? (status ? "" : "Start it again with holdfast open; the page then continues by itself.");
    this.data = error.data ?? {};
  }
}

/**
 * Return the URL of an operation under /api/, for a request or for a link to its JSON.
 * @param {string} path
 * @param {Query} query
 */
export function apiUrl(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) {
      if (item !== null && item !== undefined && item !== "") parameters.append(name, item);
    }
  }
  return `/api/${path}${parameters.size ? `?${parameters}` : ""}`;
}

/**
 * Send a read request. While the response is unchanged on the server, the same object is returned. If a later request
 * for the same URL has already completed, its newer response is returned.
 * @param {string} path
 * @param {Query} query
 * @param {{signal?: AbortSignal}} options
 * @returns {Promise<any>}
 */
export async function get(path, query = {}, { signal } = {}) {
  const url = apiUrl(path, query);
  requestCount += 1;
  const order = requestCount;
  const cached = cache.get(url);
  const response = await send(url, { signal, headers: cached ? { "If-None-Match": cached.tag } : {} });
  const isUnchanged = response.status === 304 && cached;
  const tag = isUnchanged ? cached.tag : response.headers.get("ETag");
  const value = isUnchanged ? cached.value : await parse(response);
  const newest = cache.get(url);
  if (newest && newest.order > order) return newest.value;
  cache.delete(url);
  if (tag) cache.set(url, { tag, value, order });
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED_RESPONSES) break;
    cache.delete(oldest);
  }
  return value;
}

/** Return the name under which the user writes; empty if the server does not tell it. */
export const authorName = async () => (await get("tasks/taskpilot_workspaces").catch(() => ({}))).author ?? "";

/** Return the name of the project, or else of the repository's folder; empty if the server does not tell it. */
export async function repositoryName() {
  const { workspaces, repository = "" } = await get("tasks/taskpilot_workspaces").catch(() => ({}));
  return workspaces?.[0]?.name ?? repository;
}

/**
 * Return a response, or `fallback` if the repository has not been set up for this operation.
 * @template Fallback
 * @param {Promise<any>} response
 * @param {Fallback} fallback
 */
export const ifInitialised = (response, fallback) =>
  response.catch((problem) => (problem.kind === "not_initialized" ? fallback : Promise.reject(problem)));

/**
 * Send a write request. With `version`, the version that the user saw, the server refuses the write if there is a newer
 * one. Pass a `signal` only for requests that change nothing: a write is completed even if the user leaves the view.
 * @param {string} path
 * @param {object} body
 * @param {{signal?: AbortSignal, version?: number | null}} options
 * @returns {Promise<any>}
 */
export async function post(path, body = {}, { signal, version } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (version !== undefined && version !== null) headers["If-Match"] = `"${version}"`;
  return parse(await send(`/api/${path}`, { method: "POST", signal, headers, body: JSON.stringify(body) }));
}

/**
 * Sign this browser in with a token.
 * @param {string} token
 */
export async function signInWith(token) {
  const response = await send("/login", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  if (response.ok) return;
  const value = await response.json().catch(() => ({}));
  throw new Problem(response.status, value.error ?? { message: value.detail });
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function send(url, options) {
  try {
    return await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem(0);
  }
}

/** @param {Response} response */
async function parse(response) {
  const value = await response.json().catch((failure) => {
    if (failure.name === "AbortError") throw failure;
    return {};
  });
  if (response.ok) return value;
  const problem = new Problem(response.status, value.error ?? { message: value.detail });
  if (response.status === 401) document.dispatchEvent(new CustomEvent("signed-out", { detail: problem }));
  throw problem;
}
