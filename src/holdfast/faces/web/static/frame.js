// The frame around the views: navigation rail, top bar, connection state, theme, and which view is shown.

import { el, fill } from "./dom.js";
import { button } from "./controls.js";
import { emptyState, errorMessage } from "./display.js";
import { icon } from "./icons.js";
import { Problem, repositoryName, signInWith } from "./api.js";
import * as live from "./live.js";
import { loadText, saveText } from "./storage.js";
import * as router from "./router.js";
import * as palette from "./palette.js";
import { rememberItem } from "./recent.js";
import { View, handleKeys } from "./view.js";

/**
 * Return the element of the document that has an id.
 * @param {string} id
 */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const main = byId("main");
const rail = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("#rail a")]);
const links = new Map(rail.map((link) => [router.matchRoute(link.pathname)?.view, link]));
/** @type {View | null} */
let currentView = null;
let currentPath = "";
/** Whether the server refused this browser; then the request to sign in is shown instead of a view. */
let isSignedOut = false;
/** Whether the server could not be reached for the current view, which is shown again when it is back. */
let isUnreachable = false;
/** @type {Promise<void> | null} loads the module that keeps the counts of the rail current; null to try again */
let countsModule = null;

/**
 * Show the number of items that await the user beside the links of their views: `showCounts({today: 3})`; 0 is hidden.
 * @param {Record<string, number>} numbers
 */
function showCounts(numbers) {
  for (const [name, number] of Object.entries(numbers)) {
    const place = /** @type {HTMLElement} */ (links.get(name)?.querySelector(".count-place"));
    fill(place, number ? el("span.count", number) : null);
  }
}

/** Show the view of the current URL. */
async function showView() {
  const route = router.matchRoute(location.pathname);
  // If only the query changes, such as a filter, the focus stays where the user is working.
  const isNavigation = currentView !== null && location.pathname !== currentPath;
  currentPath = location.pathname;
  currentView?.leave();
  if (currentView) fill(main); // the first view replaces the content of the document when it is ready
  const query = new URLSearchParams(location.search);
  const view = new View(main, route?.parameters ?? {}, query, { takesFocus: isNavigation });
  currentView = view;
  /** Whether the user went to another view or was signed out while this view was loading. */
  const isAbandoned = () => currentView !== view || isSignedOut;
  isSignedOut = false;
  isUnreachable = false;
  delete main.dataset.ready;
  main.classList.add("loading");
  markCurrentLink(route?.view);
  if (!route) {
    fill(main).classList.remove("loading");
    view.setHeading("Page not found");
    const today = el("a.button", { href: "/" }, "Go to Today");
    main.append(emptyState("search", "There is no page at this address.", today));
    return;
  }
  try {
    const [module] = await Promise.all([import(`./views/${route.view}.js`), applyStylesheet(route.view)]);
    if (isAbandoned()) return;
    fill(main).dataset.view = route.view;
    await module.show(view);
  } catch (failure) {
    if (isAbandoned() || failure.name === "AbortError") return;
    // Browsers report a module that cannot be loaded in words of their own.
    const problem = /dynamically imported module/i.test(failure.message) ? new Problem(0) : failure;
    isUnreachable = problem.status === 0;
    if (isUnreachable) fill(main);
    main.append(viewFailure(problem));
    if (problem.status === undefined) throw problem; // a bug in the page itself
  } finally {
    if (currentView === view) main.classList.remove("loading");
  }
  if (currentView === view) {
    main.dataset.ready = ""; // the tests wait for it
    rememberItem(route.view, route.parameters, view.title);
    if (isNavigation) view.announce(`${view.title} is shown.`);
  }
  // Only now, so that the counts do not delay the view.
  if (!isSignedOut) countsModule ??= startCounts();
}

/**
 * Return the message about a view that could not be shown, in the server's words or, for a fault of the page, in ours.
 * @param {Problem & Error} problem
 */
function viewFailure(problem) {
  const hint = `Try again, or open another view. What you typed is kept. The fault: ${problem.message}`;
  const shown = problem.status === undefined ? { message: "This view could not be shown.", hint } : problem;
  return errorMessage(shown, button("Try again", showView));
}

/** Start to keep the counts of the rail current. If the module cannot be loaded, the next view requests it again. */
async function startCounts() {
  try {
    const { followCounts } = await import("./views/today/waiting.js");
    followCounts(showCounts);
  } catch {
    countsModule = null;
  }
}

/**
 * Apply the stylesheet of one view and disable those of the others, which may use the same class names. Resolves even
 * if it cannot be loaded: a view without its styles is better than none, and it is requested again with the next view.
 * @param {string} view
 */
function applyStylesheet(view) {
  const existing = /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll("link[data-view]")]);
  const current = existing.find((link) => link.dataset.view === view);
  for (const link of existing) link.media = link === current ? "all" : "not all";
  if (current?.sheet) return null;
  // An existing link does not show whether it failed or is loading. A new link reports it, and shares its request.
  const link = el("link", { rel: "stylesheet", href: `/static/views/${view}.css`, dataset: { view } });
  return new Promise((resolve) => {
    for (const event of ["load", "error"]) link.addEventListener(event, resolve, { once: true });
    if (current) current.replaceWith(link);
    else document.head.append(link);
  });
}

/**
 * Mark the link of the current view in the rail; a task belongs to the board.
 * @param {string | undefined} view
 */
function markCurrentLink(view) {
  for (const [name, link] of links) {
    const isCurrent = name === view || (name === "board" && view === "task");
    if (!isCurrent) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "page");
    link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** @param {boolean} isConnected */
function showConnection(isConnected) {
  // The user signed in again, in this window or another, or the server is back.
  if (isConnected && (isSignedOut || isUnreachable)) showView();
  const node = byId("live");
  node.className = isConnected ? "live connected" : "live";
  fill(node, el("span.dot"), isConnected ? el("span.visually-hidden", "live") : "reconnecting");
  outage.hidden = isConnected || isSignedOut;
}

/** Says, below every view, that the server does not answer, and how to start it. */
const outage = el("div.outage", { role: "status", hidden: true },
  "The server does not answer. Start it in the repository with ", el("code", "holdfast open"),
  "; this page then continues by itself, and what you typed is kept.");
document.body.append(outage);

function switchTheme() {
  const systemTheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const theme = (document.documentElement.dataset.theme ?? systemTheme) === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  saveText("theme", theme);
}

function showSignedOut() {
  if (isSignedOut) return; // further refused requests must not clear the token that somebody is typing
  isSignedOut = true;
  outage.hidden = true; // the server has answered
  document.title = "Sign in · Holdfast";
  main.classList.remove("loading");
  fill(
    main,
    el("header.heading", el("h1", { tabindex: "-1" }, "This browser is not signed in")),
    emptyState("key", "When the server starts, it prints a link that signs in the first browser to open it. " +
      "To get a new link, run this in the repository:", el("pre", "holdfast open"),
    el("p", "Or sign in with a token, which the owner of the repository creates with holdfast token add:"),
    tokenForm()),
  );
}

/** Return a form that signs this browser in with a token. */
function tokenForm() {
  const field = el("input", { type: "password", "aria-label": "Token", autocomplete: "current-password" });
  const error = el("div");
  const signIn = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await signInWith(field.value.trim());
      location.reload();
    } catch (/** @type {any} */ problem) {
      fill(error, errorMessage(problem));
    }
  };
  return el("form.stack", { on: { submit: signIn } },
    el("div.row", field, el("button.button", { type: "submit" }, "Sign in")), error);
}

for (const [view, link] of links) link.append(icon(String(view)));
byId("jump").prepend(icon("search"));
byId("theme").append(icon("theme"));
const theme = loadText("theme");
if (theme) document.documentElement.dataset.theme = theme;
document.addEventListener("signed-out", showSignedOut);
byId("theme").addEventListener("click", switchTheme);
byId("jump").addEventListener("click", palette.open);
handleKeys(...["/", "Ctrl-k"].map((key) => ({ key, text: "Search or jump", run: palette.open })));
// The document defers these links so that they do not delay the first paint.
const preloads = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel=modulepreload]"));
for (const link of preloads) link.media = "all";
router.start(showView);
live.start(showConnection);
repositoryName().then((name) => (byId("repository").textContent = name));
