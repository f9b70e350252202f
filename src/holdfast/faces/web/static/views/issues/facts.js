// The facts beside a milestone or issue, each with the little form that changes it.

import { get } from "../../api.js";
import { button, codeAddress, plain, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { ago, left } from "../../time.js";
import { dayInFull, patch, person, place, state } from "./parts.js";

/** Show the facts of what a detail shows; each changes by itself, so that nobody loses a form they have open. */
export function drawFacts(detail, known) {
  const { it, names } = detail;
  const values = (name) => known.fields.find((field) => field.name === name)?.values ?? [];
  const options = (list) => list.map((value) => el("option", { value }));
  const about = (ids) => ids.map((id) => [id, names.get(id)?.title, names.get(id)?.status]);
  const show = (name, data, render) => {
    if (!detail.places.has(name)) {
      detail.places.set(name, el("div", { class: "fact" }));
      detail.side.append(detail.places.get(name));
    }
    patch(detail.places.get(name), data, () => [el("h2", {}, name), el("div", { class: "stack" }, render())]);
  };
  fill(detail.lists,
    el("datalist", { id: "people" }, options([...new Set([known.identity, ...values("assignee"), ...values("author")])])),
    el("datalist", { id: "labels" }, options(values("labels"))), el("datalist", { id: "open-issues" }));
  show("Claim", [it.claim, it.status], () => claim(detail, known.identity));
  show("Assignee", it.assignee, () => assignee(detail, known.identity));
  show("Labels", it.labels, () => members(detail, "Labels", it.labels, (label) => el("span", { class: "tag" }, label), { chips: true, list: "labels", add: (word) => ["label", { add: [word] }], remove: (word) => ["label", { remove: [word] }] }));
  show("Due", [it.due, it.status], () => due(detail));
  if (it.entity === "issue") show("Milestone", about([it.milestone]), () => milestone(detail));
  show("Depends on", about(it.dependencies ?? []), () => members(detail, "Depends on", it.dependencies ?? [], (id) => dependency(names.get(id), id),
    { list: "open-issues", hint: "Id of an issue", ready: () => detail.try(() => offerIssues(detail)), add: (id) => ["link", { dependsOn: [id] }], remove: (id) => ["link", { dependsOn: [id], unlink: true }] }));
  show("Links", it.links, () => members(detail, "Links", it.links ?? [], linked, { hint: "Path, commit or address", add: (to) => ["link", { to: [to] }], remove: (to) => ["link", { to: [to], unlink: true }] }));
  show("Changed", it.updated, () => ago(it.updated));
  show("Id", it.id, () => el("code", {}, it.id));
}

/** Return a form that opens where it is asked for; `what` gives the operation and its arguments. */
function form(detail, label, inputs, what) {
  const problem = el("div", {});
  const send = async (event) => {
    event.preventDefault();
    const asked = what(event.submitter?.value);
    const close = () => (box.open = false);
    if (asked) await detail.view.attempt(problem, () => detail.write(...asked, close));
    if (!box.open) detail.side.querySelector(`summary[aria-label="${label}"]`)?.focus();
  };
  const node = el("form", { class: "row change", on: { submit: send } }, inputs, problem);
  const closed = () => box.open || detail.refresh();
  const box = el("details", { on: { toggle: closed } }, el("summary", { "aria-label": label }, label.split(" ")[0]), node);
  return box;
}

const submit = (text, value = "") => el("button", { class: "button", type: "submit", value }, text);

function claim(detail, me) {
  const { claim: held } = detail.it;
  const doing = (text, what) => button(text, () => detail.act(what, {}));
  if (!held) return [quiet("Nobody is on it."), detail.it.status !== "closed" && doing("Claim for an hour", "claim")];
  return [el("span", {}, person(held.actor), quiet(` ${left(held.until)} left`)), held.actor === me && doing("Release", "release")];
}

function assignee(detail, me) {
  const { assignee: name } = detail.it;
  const input = el("input", { list: "people", "aria-label": "Assignee", value: name ?? "", placeholder: "Name <mail>" });
  const what = (choice) => {
    if (choice === "nobody") return ["assign", { nobody: true }];
    const wanted = choice === "me" ? me : input.value.trim();
    return wanted && ["assign", { assignee: wanted }];
  };
  const buttons = [submit("Assign"), name !== me && submit("Me", "me"), name && submit("Nobody", "nobody")];
  return [name ? person(name) : quiet("nobody"), form(detail, "Change assignee", [input, buttons], what)];
}

function due(detail) {
  const { due: day, status } = detail.it;
  const input = el("input", { type: "date", "aria-label": "Due", value: day ?? "" });
  const what = (choice) => (choice === "none" ? ["edit", { due: "none" }] : input.value && ["edit", { due: input.value }]);
  return [day ? dayInFull(day, status === "closed") : quiet("no day"), form(detail, "Change due day", [input, submit("Set"), day && submit("Clear", "none")], what)];
}

function milestone(detail) {
  const { it, names } = detail;
  const known = names.get(it.milestone);
  const select = el("select", { "aria-label": "Milestone" }, el("option", { value: "" }, "none"));
  const what = () => (select.value ? ["link", { milestone: select.value }] : it.milestone && ["link", { milestone: it.milestone, unlink: true }]);
  const node = form(detail, "Change milestone", [select, submit("Set")], what);
  node.addEventListener("toggle", () => detail.try(async () => {
    const { items } = await get("milestones/git_mile_overview", { entity: "milestone", sort: ["due"], limit: 200 }, { signal: detail.view.signal });
    select.replaceChildren(select.firstChild, ...items.map((item) => el("option", { value: item.id, selected: item.id === it.milestone }, item.title)));
  }), { once: true });
  return [it.milestone ? el("a", { href: place("milestone", it.milestone) }, known?.title ?? it.milestone) : quiet("none"), node];
}

function members(detail, name, values, show, { chips, list, hint, ready, add, remove }) {
  const input = el("input", { list, "aria-label": name, placeholder: hint, on: { focus: () => ready?.() } });
  const one = (value) => el("li", {}, show(value), plain("✕", () => detail.act(...remove(value)), { "aria-label": `Remove ${value}` }));
  const what = () => input.value.trim() && add(input.value.trim());
  return [el("ul", { class: chips ? "members chips" : "members" }, values.map(one)), form(detail, `Add to ${name.toLowerCase()}`, [input, submit("Add")], what)];
}

async function offerIssues(detail) {
  const { items } = await get("milestones/git_mile_overview", { entity: "issue", limit: 200 }, { signal: detail.view.signal });
  fill(detail.lists.querySelector("#open-issues"), items.filter((item) => item.id !== detail.it.id).map((item) => el("option", { value: item.id }, item.title)));
}

function dependency(known, id) {
  return known ? [state(known.status), el("a", { href: place(known.kind, id) }, known.title)] : el("code", {}, id);
}

function linked(to) {
  const outside = /^https?:\/\//.test(to);
  if (outside) return el("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, to);
  return /[./]/.test(to) && !/^[./]|\s/.test(to) ? el("a", { href: codeAddress(to) }, to) : el("code", {}, to);
}
