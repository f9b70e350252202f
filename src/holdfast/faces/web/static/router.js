// Routes: maps URLs to views, and navigates without reloading the document.

/** @type {{pattern: RegExp, view: string}[]} */
const ROUTES = [
  { pattern: /^\/$/, view: "today" },
  { pattern: /^\/board$/, view: "board" },
  { pattern: /^\/task\/(?<id>.+)$/, view: "task" },
  { pattern: /^\/code(?:\/(?<path>.*))?$/, view: "code" },
  { pattern: /^\/review$/, view: "review" },
  { pattern: /^\/issues(?:\/(?<id>.+))?$/, view: "issues" },
  { pattern: /^\/health$/, view: "health" },
  { pattern: /^\/activity$/, view: "activity" },
  { pattern: /^\/api$/, view: "api" },
];

/**
 * Return the view for a path and its decoded parameters, or null if no route matches.
 * @param {string} pathname
 * @returns {{view: string, parameters: Record<string, string>} | null}
 */
export function matchRoute(pathname) {
  for (const { pattern, view } of ROUTES) {
    const matched = pathname.replace(/(.)\/$/, "$1").match(pattern);
    if (!matched) continue;
    try {
      const groups = Object.entries(matched.groups ?? {});
      const parameters = groups.map(([name, text]) => [name, text && decodeURIComponent(text)]);
      return { view, parameters: Object.fromEntries(parameters) };
    } catch {
      return null; // an invalid percent escape
    }
  }
  return null;
}

/**
 * Return a URL whose path is encoded, except for its slashes: `address("/code", "src/a b.py")`.
 * @param {string} prefix
 * @param {string} path
 */
export const address = (prefix, path) => `${prefix}/${String(path).split("/").map(encodeURIComponent).join("/")}`;

let onNavigate = () => {};

/**
 * Start routing: call back now and whenever the URL changes.
 * @param {() => void} callback
 */
export function start(callback) {
  onNavigate = callback;
  document.addEventListener("click", followLink);
  addEventListener("popstate", () => onNavigate());
  onNavigate();
}

/**
 * Navigate to a URL of the page; with `replace`, Back skips the current one.
 * @param {string | URL} url
 * @param {{replace?: boolean}} options
 */
export function go(url, { replace = false } = {}) {
  const target = new URL(url, location.href);
  if (target.href !== location.href) history[replace ? "replaceState" : "pushState"](null, "", target);
  onNavigate();
}

/** @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element
    ? /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]")) : null;
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  const isFragment = url.pathname === location.pathname && url.search === location.search && url.hash;
  if (url.origin !== location.origin || isFragment || !matchRoute(url.pathname)) return;
  event.preventDefault();
  go(url);
}
