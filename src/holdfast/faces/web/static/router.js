// Addresses: which view stands behind a path, and going there without loading the page anew.

export const ROUTES = [
  { pattern: /^\/$/, view: "today" },
  { pattern: /^\/board$/, view: "board" },
  { pattern: /^\/task\/(?<id>.+)$/, view: "task" },
  { pattern: /^\/code(?:\/(?<path>.*))?$/, view: "code" },
  { pattern: /^\/review$/, view: "review" },
  { pattern: /^\/issues(?:\/(?<id>.+))?$/, view: "issues" },
  { pattern: /^\/health$/, view: "health" },
  { pattern: /^\/activity$/, view: "activity" },
];

/** Return the route of a path with its decoded parameters, or null. */
export function match(pathname) {
  for (const route of ROUTES) {
    const found = pathname.replace(/(.)\/$/, "$1").match(route.pattern);
    if (!found) continue;
    try {
      const parts = Object.entries(found.groups ?? {}).map(([name, text]) => [name, text && decodeURIComponent(text)]);
      return { ...route, parameters: Object.fromEntries(parts) };
    } catch {
      return null;
    }
  }
  return null;
}

/** Return a path whose parts are encoded, slashes kept: `address("/code", "src/a b.py")`. */
export const address = (prefix, path) => `${prefix}/${String(path).split("/").map(encodeURIComponent).join("/")}`;

let arrived = () => {};

/** Begin: call back now and whenever the address changes. */
export function begin(callback) {
  arrived = callback;
  document.addEventListener("click", follow);
  addEventListener("popstate", () => arrived());
  arrived();
}

export function go(url, { replace = false } = {}) {
  const target = new URL(url, location.href);
  if (target.href !== location.href) history[replace ? "replaceState" : "pushState"](null, "", target);
  arrived();
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  const inPage = url.pathname === location.pathname && url.search === location.search && url.hash;
  if (url.origin !== location.origin || inPage || !match(url.pathname)) return;
  event.preventDefault();
  go(url);
}
