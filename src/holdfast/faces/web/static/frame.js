// The frame around the views: navigation rail, top bar, connection state, theme, and which view is shown.

import { el, fill } from "./dom.js";
import { emptyState, errorMessage } from "./display.js";
import { get } from "./api.js";
import * as live from "./live.js";
import { loadText, saveText } from "./storage.js";
import * as router from "./router.js";
import * as palette from "./palette.js";
import { View, handleKeys } from "./view.js";

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const main = byId("main");
const rail = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("#rail a")]);
const links = new Map(rail.map((link) => [router.matchRoute(link.pathname)?.view, link]));
/** @type {View | null} */
let shown = null;
let shownPath = "";
/** @type {Promise<void> | null} */
let counting = null;

/**
 * Show how many things wait in some views, beside their links: `showCounts({today: 3})`; 0 shows nothing.
 * @param {Record<string, number>} numbers
 */
function showCounts(numbers) {
  for (const [name, number] of Object.entries(numbers)) {
    const place = /** @type {HTMLElement} */ (links.get(name)?.querySelector(".count-place"));
    fill(place, number ? el("span.count", number) : null);
  }
}

async function show() {
  const route = router.matchRoute(location.pathname);
  // Another query in the same view, such as a filter, leaves the focus where the user is working.
  const isNavigation = shown !== null && location.pathname !== shownPath;
  shownPath = location.pathname;
  shown?.leave();
  if (shown) fill(main); // at first, what the document contains stays until the view is ready
  const query = new URLSearchParams(location.search);
  const view = (shown = new View(main, route?.parameters ?? {}, query, { takesFocus: isNavigation }));
  markCurrent(route?.view);
  main.removeAttribute("data-signed-out");
  if (!route) {
    fill(main);
    view.setHeading("Nothing is here");
    main.append(emptyState("No view has this address.", el("a.button", { href: "/" }, "Go to Today")));
    return;
  }
  try {
    const [module] = await Promise.all([import(`./views/${route.view}.js`), applyStylesheet(route.view)]);
    if (shown !== view || main.dataset.signedOut) return;
    fill(main).dataset.view = route.view;
    await module.show(view);
  } catch (problem) {
    if (shown !== view || problem.name === "AbortError" || main.dataset.signedOut) return;
    main.append(errorMessage(problem));
    if (problem.status === undefined) throw problem; // a bug in the page itself
  }
  if (shown === view) {
    main.dataset.ready = "";
    if (isNavigation) view.announce(`${view.title} is shown.`);
  }
  // The counts can wait until there is something to see.
  if (!main.dataset.signedOut) counting ??= import("./views/today/waiting.js").then(({ follow }) => follow(showCounts));
}

/**
 * Apply the stylesheet of one view and disable those of the others, which may use the same class names. Resolves even
 * if it cannot be loaded: a view without its styles is better than none, and the next showing tries again.
 * @param {string} view
 */
function applyStylesheet(view) {
  const known = /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll("link[data-view]")]);
  const current = known.find((link) => link.dataset.view === view);
  for (const link of known) link.media = link === current ? "all" : "not all";
  if (current?.sheet) return null;
  // Whether an existing link failed or is still loading cannot be seen; a new one reports it and shares the request.
  const link = el("link", { rel: "stylesheet", href: `/static/views/${view}.css`, dataset: { view } });
  return new Promise((resolve) => {
    for (const event of ["load", "error"]) link.addEventListener(event, resolve, { once: true });
    current ? current.replaceWith(link) : document.head.append(link);
  });
}

/** @param {string | undefined} view */
function markCurrent(view) {
  delete main.dataset.ready;
  for (const [name, link] of links) {
    const isCurrent = name === view || (name === "board" && view === "task");
    isCurrent ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    if (isCurrent) link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** @param {boolean} isConnected */
function showConnection(isConnected) {
  if (isConnected && main.dataset.signedOut) show(); // the user signed in again, in this window or another
  const node = byId("live");
  node.className = isConnected ? "live connected" : "live";
  fill(node, el("span.dot"), isConnected ? el("span.visually-hidden", "live") : "reconnecting");
}

function switchTheme() {
  const systemTheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const theme = (document.documentElement.dataset.theme ?? systemTheme) === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  saveText("theme", theme);
}

function showSignedOut() {
  main.dataset.signedOut = "true";
  document.title = "Sign in · Holdfast";
  fill(
    main,
    el("header.heading", el("h1", { tabindex: "-1" }, "This browser is not signed in")),
    emptyState("The server prints a link when it starts, which signs in the first browser that opens it. " +
      "To get a new link, run this in the repository:", el("pre", "holdfast open")),
  );
}

async function nameRepository() {
  const { workspaces } = await get("tasks/taskpilot_workspaces").catch(() => ({}));
  byId("repository").textContent = workspaces?.[0]?.name ?? "";
}

const theme = loadText("theme");
if (theme) document.documentElement.dataset.theme = theme;
document.addEventListener("signed-out", showSignedOut);
byId("theme").addEventListener("click", switchTheme);
byId("jump").addEventListener("click", palette.open);
handleKeys(...["/", "Ctrl-k"].map((key) => ({ key, text: "Search or jump", run: palette.open })));
// The document defers these links so that they do not delay the first paint.
const preloads = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel=modulepreload]"));
for (const link of preloads) link.media = "all";
router.start(show);
live.start(showConnection);
nameRepository();
