// The host around this document: JSON-RPC 2.0 in messages to the window that holds this one.

const waiting = new Map();
const listeners = new Map();
let last = 0;

/** Ask the host; rejects with its error. */
export function request(method, params = {}) {
  last += 1;
  send({ id: last, method, params });
  return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
}

export function notify(method, params = {}) {
  send({ method, params });
}

/** Call back when the host tells or asks something; what it asks is answered with nothing more. */
export function when(method, callback) {
  listeners.set(method, callback);
}

function send(message) {
  // The host's origin is not known to what it shows; nothing but what its own server said is in here.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function receive({ source, data }) {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method !== undefined) {
    const listener = listeners.get(data.method);
    listener?.(data.params ?? {});
    if (data.id === undefined) return;
    const isKnown = listener || data.method === "ping";
    const answer = isKnown ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
    return send({ id: data.id, ...answer });
  }
  const { resolve, reject } = waiting.get(data.id) ?? {};
  waiting.delete(data.id);
  if (data.error) reject?.(data.error);
  else resolve?.(data.result);
}

addEventListener("message", receive);
