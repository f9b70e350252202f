// The host around this document: JSON-RPC 2.0 in messages to the window that contains it.

/** @type {Map<number, {resolve: (result: any) => void, reject: (error: any) => void}>} */
const pending = new Map();
/** @type {Map<string, (parameters: any) => any>} */
const listeners = new Map();
let lastId = 0;

/**
 * Send a request to the host; resolves to its result or rejects with its error.
 * @param {string} method
 * @param {object} params
 * @returns {Promise<any>}
 */
export function request(method, params = {}) {
  lastId += 1;
  send({ id: lastId, method, params });
  return new Promise((resolve, reject) => pending.set(lastId, { resolve, reject }));
}

/**
 * Send a notification to the host.
 * @param {string} method
 * @param {object} params
 */
export function notify(method, params = {}) {
  send({ method, params });
}

/**
 * Call back on a notification or request of the host; requests get an empty result.
 * @param {string} method
 * @param {(parameters: any) => any} callback
 */
export function when(method, callback) {
  listeners.set(method, callback);
}

/** @param {object} message */
function send(message) {
  // The host's origin is unknown; the messages contain only what its own server sent.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

/** @param {MessageEvent} event */
function receive({ source, data }) {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method !== undefined) {
    const listener = listeners.get(data.method);
    listener?.(data.params ?? {});
    if (data.id === undefined) return;
    const isKnown = listener || data.method === "ping";
    const answer = isKnown ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
    send({ id: data.id, ...answer });
    return;
  }
  const { resolve, reject } = pending.get(data.id) ?? {};
  pending.delete(data.id);
  if (data.error) reject?.(data.error);
  else resolve?.(data.result);
}

addEventListener("message", receive);
