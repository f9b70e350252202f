// The MCP host around this document: JSON-RPC 2.0 in messages to the parent window.

/** @type {Map<number, {resolve: (result: any) => void, reject: (error: any) => void}>} */
const pending = new Map();
/** @type {Map<string, (parameters: any) => any>} */
const listeners = new Map();
let lastId = 0;

/**
 * Send a request to the host; resolves to the result or rejects with the error.
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
 * Call back on a notification or request from the host; a request gets an empty result.
 * @param {string} method
 * @param {(parameters: any) => any} callback
 */
export function onMessage(method, callback) {
  listeners.set(method, callback);
}

/** @param {object} message */
function send(message) {
  // The host's origin is unknown, but the messages contain nothing that the host does not know.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

/**
 * Handle a message from the host: a request, a notification, or the response to a request.
 * @param {MessageEvent} event
 */
function receive({ source, data }) {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method !== undefined) {
    const listener = listeners.get(data.method);
    listener?.(data.params ?? {});
    if (data.id === undefined) return;
    const isKnown = listener || data.method === "ping";
    const response = isKnown ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
    send({ id: data.id, ...response });
    return;
  }
  const { resolve, reject } = pending.get(data.id) ?? {};
  pending.delete(data.id);
  if (data.error) reject?.(data.error);
  else resolve?.(data.result);
}

addEventListener("message", receive);
