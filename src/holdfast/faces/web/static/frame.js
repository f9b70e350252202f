// The frame: rail, top bar, the stream's state, light and dark, and which view is shown.

import { el, empty, failure, fill } from "./dom.js";
import { get } from "./api.js";
import * as live from "./live.js";
import * as router from "./router.js";
import * as palette from "./palette.js";
import { View, beginKeys } from "./view.js";

const main = document.getElementById("main");
const links = new Map([...document.querySelectorAll("#rail a")].map((a) => [router.match(a.pathname).view, a]));
let shown = null;
let counting = null;

/** Say how many things wait in a view: `counts({today: 3})`; 0 says nothing. */
function counts(numbers) {
  for (const [view, number] of Object.entries(numbers)) {
    fill(links.get(view).querySelector(".count-place"), number ? el("span.count", number) : null);
  }
}

async function show() {
  const route = router.match(location.pathname);
  shown?.leave();
  if (shown) fill(main); // what the document brought stays until there is more
  const view = new View(main, route?.parameters ?? {}, new URLSearchParams(location.search));
  shown = view;
  mark(route?.view);
  main.removeAttribute("data-signed-out");
  if (!route) {
    fill(main);
    view.heading("Nothing is here");
    return main.append(empty("No view has this address.", el("a.button", { href: "/" }, "Go to Today")));
  }
  try {
    const [module] = await Promise.all([import(`./views/${route.view}.js`), style(route.view)]);
    if (shown !== view || main.dataset.signedOut) return;
    fill(main).dataset.view = route.view;
    await module.show(view);
  } catch (problem) {
    if (shown !== view || problem.name === "AbortError" || main.dataset.signedOut) return;
    main.append(failure(problem));
    if (problem.status === undefined) throw problem; // a fault of the page itself
  }
  if (shown === view) main.dataset.ready = "";
  // What waits is counted once there is something to look at.
  if (!main.dataset.signedOut) counting ??= import("./views/today/waiting.js").then(({ follow }) => follow(counts));
}

/** Let the looks of one view apply, and of no other: they may use the same words for different things. */
function style(view) {
  const known = document.querySelector(`link[data-view="${view}"]`);
  const link = known ?? el("link", { rel: "stylesheet", href: `/static/views/${view}.css`, dataset: { view } });
  for (const other of document.querySelectorAll("link[data-view]")) other.media = other === link ? "all" : "not all";
  if (known?.sheet) return null;
  if (!known) document.head.append(link);
  return new Promise((loaded) => link.addEventListener("load", loaded, { once: true }));
}

function mark(view) {
  delete main.dataset.ready;
  for (const [name, link] of links) {
    const current = name === view || (name === "board" && view === "task");
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    if (current) link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function showState(standing) {
  if (standing && main.dataset.signedOut) show(); // somebody signed in again, in this window or another
  const node = document.getElementById("live");
  node.className = standing ? "live standing" : "live";
  fill(node, el("span.dot"), standing ? el("span.visually-hidden", "live") : "reconnecting");
}

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
}

function signedOut() {
  main.dataset.signedOut = "true";
  document.title = "Sign in · Holdfast";
  fill(
    main,
    el("header.heading", el("h1", "This browser is not signed in")),
    empty("The server prints a link when it starts; it signs in the first browser that opens it. To get a new one, " +
      "run this in the repository:", el("pre", "holdfast open")),
  );
}

async function nameRepository() {
  const { workspaces } = await get("tasks/taskpilot_workspaces").catch(() => ({}));
  document.getElementById("repository").textContent = workspaces?.[0]?.name ?? "";
}

if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme");
document.addEventListener("signed-out", signedOut);
document.getElementById("theme").addEventListener("click", switchTheme);
document.getElementById("jump").addEventListener("click", palette.open);
beginKeys(...["/", "Ctrl-k"].map((key) => ({ key, text: "Search or jump", run: palette.open })));
// What the document left for later.
for (const link of document.querySelectorAll("link[rel=modulepreload]")) link.media = "all";
router.begin(show);
live.begin(showState);
nameRepository();
