// The facts beside an issue or milestone, each with a form that changes it.

import { get } from "../../api.js";
import { button, choice, plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch } from "../../dom.js";
import { form, submitButton } from "../../forms.js";
import { codeAddress } from "../../links.js";
import { ago, timeLeft } from "../../time.js";
import { dueDate, entityAddress, personName, statusLabel } from "./entity.js";

/** @import { Detail } from "./detail.js" */
/** @import { Item } from "./entity.js" */

/**
 * An operation and its arguments, or nothing to do.
 * @typedef {[operation: string, body: object] | false | null | undefined | ""} Change
 */

/**
 * Draw the facts. Each is updated on its own, so an open form in one is kept.
 * @param {Detail} detail
 * @param {any} known the fields of the filter language and who the user is
 */
export function drawFacts(detail, known) {
  const { it, names, places, side } = detail;
  const values = (/** @type {string} */ name) =>
    known.fields.find((field) => field.name === name)?.values ?? [];
  const offer = (/** @type {string} */ id, /** @type {string[]} */ list = []) =>
    el("datalist", { id }, [...new Set(list)].map((value) => el("option", { value })));
  const about = (/** @type {string[]} */ ids) => ids.map((id) => [id, names.get(id)?.title, names.get(id)?.status]);
  const show = (/** @type {string} */ name, /** @type {any} */ data, /** @type {() => any} */ render) => {
    const place = places.get(name) ?? side.appendChild(el("div.fact"));
    places.set(name, place);
    patch(place, data, () => [el("h2", name), el("div.stack", render())]);
  };
  fill(detail.lists, offer("people", [known.identity, ...values("assignee"), ...values("author")]),
    offer("labels", values("labels")), offer("open-issues"));
  show("Claim", [it.claim, it.status], () => claim(detail, known.identity));
  show("Assignee", it.assignee, () => assignee(detail, known.identity));
  show("Labels", it.labels, () => members(detail, "Labels", it.labels, {
    write: (label, off) => ["label", { [off ? "remove" : "add"]: [label] }],
    item: (label) => el("span.tag", label), look: "chips", list: "labels",
  }));
  show("Due", [it.due, it.status], () => due(detail));
  if (it.entity === "issue") show("Milestone", about([it.milestone]), () => milestone(detail));
  show("Depends on", about(it.dependencies ?? []), () => members(detail, "Depends on", it.dependencies, {
    write: (id, unlink) => ["link", { dependsOn: [id], unlink }],
    item: (id) => dependency(names.get(id), id), list: "open-issues", placeholder: "Id of an issue",
    on: { focus: () => detail.try(() => offerIssues(detail)) },
  }));
  show("Links", it.links, () => members(detail, "Links", it.links, {
    write: (to, unlink) => ["link", { to: [to], unlink }], item: linked, placeholder: "Path, commit or address",
  }));
  show("Changed", it.updated, () => ago(it.updated));
  show("Id", it.id, () => el("code", it.id));
}

/**
 * Return a form that unfolds.
 * @param {Detail} detail
 * @param {string} label
 * @param {Node} input
 * @param {any} buttons
 * @param {(pressed?: string) => Change} what returns the change for the button that was pressed
 */
function change(detail, label, input, buttons, what) {
  const send = async (/** @type {any} */ _values, /** @type {string | undefined} */ pressed) => {
    const wanted = what(pressed);
    if (wanted) await detail.write(...wanted, () => (box.open = false));
    const current = /** @type {HTMLElement | null} */ (detail.side.querySelector(`summary[aria-label="${label}"]`));
    if (!box.open) current?.focus();
  };
  const toggle = () => box.open || detail.refresh();
  const summary = el("summary", { "aria-label": label }, label.split(" ")[0]);
  const box = el("details", { on: { toggle } }, summary, form(input, { buttons, send }));
  return box;
}

/**
 * @param {Detail} detail
 * @param {string} me
 */
function claim(detail, me) {
  const { it } = detail;
  const act = (/** @type {string} */ text, /** @type {string} */ what) => button(text, () => detail.act(what, {}));
  const free = quiet("Nobody is working on it.");
  if (!it.claim) return [free, it.status !== "closed" && act("Claim for an hour", "claim")];
  const { actor, until } = it.claim;
  const left = quiet(` ${timeLeft(until) ?? "no time"} left`);
  return [el("span", personName(actor), left), actor === me && act("Release", "release")];
}

/**
 * @param {Detail} detail
 * @param {string} me
 */
function assignee(detail, me) {
  const { assignee: name } = detail.it;
  const attributes = { list: "people", "aria-label": "Assignee", value: name ?? "", placeholder: "Name <mail>" };
  const input = el("input", attributes);
  /** @type {(pressed?: string) => Change} */
  const what = (pressed) => {
    if (pressed === "nobody") return ["assign", { nobody: true }];
    const wanted = pressed === "me" ? me : input.value.trim();
    return wanted && ["assign", { assignee: wanted }];
  };
  const buttons = [submitButton("Assign"), name !== me && submitButton("Me", "me"),
    name && submitButton("Nobody", "nobody")];
  return [name ? personName(name) : quiet("nobody"), change(detail, "Change assignee", input, buttons, what)];
}

/** @param {Detail} detail */
function due(detail) {
  const { due: day, status } = detail.it;
  const input = el("input", { type: "date", "aria-label": "Due", value: day ?? "" });
  /** @type {(pressed?: string) => Change} */
  const what = (pressed) => (pressed || input.value) && ["edit", { due: pressed || input.value }];
  const buttons = [submitButton("Set"), day && submitButton("Clear", "none")];
  const current = day ? dueDate(day, status === "closed") : quiet("no due date");
  return [current, change(detail, "Change due date", input, buttons, what)];
}

/** @param {Detail} detail */
function milestone(detail) {
  const { milestone: now } = detail.it;
  const input = el("span"); // filled when the milestones have been loaded
  /** @type {() => Change} */
  const what = () => {
    const wanted = input.querySelector("select")?.value;
    return wanted ? ["link", { milestone: wanted }] : now && ["link", { milestone: now, unlink: true }];
  };
  const node = change(detail, "Change milestone", input, submitButton("Set"), what);
  node.addEventListener("toggle", () => detail.try(async () => {
    const query = { entity: "milestone", sort: ["due"], limit: 200 };
    const { items } = await get("milestones/git_mile_overview", query, detail.view);
    /** @type {[string, string][]} */
    const milestones = items.map(({ id, title }) => [id, title]);
    fill(input, choice("Milestone", [["", "none"], ...milestones], now));
  }), { once: true });
  const title = detail.names.get(now)?.title ?? now;
  return [now ? el("a", { href: entityAddress("milestone", now) }, title) : quiet("none"), node];
}

/**
 * Return a list of values, each with a button that removes it, and a form that adds one.
 * @param {Detail} detail
 * @param {string} name
 * @param {string[] | null | undefined} values
 * @param {{write: (value: string, off?: boolean) => [string, object], item: (value: string) => any, look?: string,
 *   [property: string]: any}} options `write` returns the change that adds a value or, with `off`, removes it; further
 *   properties are those of the input
 */
function members(detail, name, values, { write, item, look = "", ...more }) {
  const input = el("input", { "aria-label": name, ...more });
  const line = (/** @type {string} */ value) => {
    const remove = plainButton("✕", () => detail.act(...write(value, true)), { "aria-label": `Remove ${value}` });
    return el("li", item(value), remove);
  };
  /** @type {() => Change} */
  const what = () => input.value.trim() && write(input.value.trim());
  return [el("ul", { class: `members plain-list ${look}` }, (values ?? []).map(line)),
    change(detail, `Add to ${name.toLowerCase()}`, input, submitButton("Add"), what)];
}

/** @param {Detail} detail */
async function offerIssues({ it, lists, view }) {
  const { items } = await get("milestones/git_mile_overview", { entity: "issue", limit: 200 }, view);
  const others = items.filter(({ id }) => id !== it.id);
  const list = /** @type {HTMLElement} */ (lists.querySelector("#open-issues"));
  fill(list, others.map(({ id, title }) => el("option", { value: id }, title)));
}

/**
 * @param {Item | undefined} known
 * @param {string} id
 */
const dependency = (known, id) =>
  (known ? [statusLabel(known.status), el("a", { href: entityAddress(known.kind, id) }, known.title)] : el("code", id));

/**
 * Return a link to a web page or a file; anything else, such as a commit, is only text.
 * @param {string} to
 */
function linked(to) {
  if (/^https?:\/\//.test(to)) return el("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, to);
  return /[./]/.test(to) && !/^[./]|\s/.test(to) ? el("a", { href: codeAddress(to) }, to) : el("code", to);
}
