// The facts beside a milestone or issue, each with the little form that changes it.

import { get } from "../../api.js";
import { ago, button, choice, codeAddress, el, fill, form, left, patch, plain, quiet, submit } from "../../dom.js";
import { dayInFull, person, place, state } from "./parts.js";

/** Show the facts of what a detail shows; each changes by itself, so that nobody loses a form they have open. */
export function drawFacts(detail, known) {
  const { it, names, places, side } = detail;
  const values = (name) => known.fields.find((field) => field.name === name)?.values ?? [];
  const offer = (id, list = []) => el("datalist", { id }, [...new Set(list)].map((value) => el("option", { value })));
  const about = (ids) => ids.map((id) => [id, names.get(id)?.title, names.get(id)?.status]);
  const show = (name, data, render) => {
    if (!places.has(name)) places.set(name, side.appendChild(el("div.fact")));
    patch(places.get(name), data, () => [el("h2", name), el("div.stack", render())]);
  };
  fill(detail.lists, offer("people", [known.identity, ...values("assignee"), ...values("author")]),
    offer("labels", values("labels")), offer("open-issues"));
  show("Claim", [it.claim, it.status], () => claim(detail, known.identity));
  show("Assignee", it.assignee, () => assignee(detail, known.identity));
  show("Labels", it.labels, () => members(detail, "Labels", it.labels, {
    write: (word, off) => ["label", { [off ? "remove" : "add"]: [word] }],
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

/** Return a form that opens where it is asked for; `what` gives the operation by the button that was pressed. */
function change(detail, label, input, buttons, what) {
  const send = async (_values, pressed) => {
    const asked = what(pressed);
    if (asked) await detail.write(...asked, () => (box.open = false));
    if (!box.open) detail.side.querySelector(`summary[aria-label="${label}"]`)?.focus();
  };
  const toggle = () => box.open || detail.refresh();
  const summary = el("summary", { "aria-label": label }, label.split(" ")[0]);
  const box = el("details", { on: { toggle } }, summary, form(input, { buttons, send }));
  return box;
}

function claim(detail, me) {
  const { it } = detail;
  const doing = (text, what) => button(text, () => detail.act(what, {}));
  if (!it.claim) return [quiet("Nobody is on it."), it.status !== "closed" && doing("Claim for an hour", "claim")];
  const { actor, until } = it.claim;
  return [el("span", person(actor), quiet(` ${left(until)} left`)), actor === me && doing("Release", "release")];
}

function assignee(detail, me) {
  const { assignee: name } = detail.it;
  const attributes = { list: "people", "aria-label": "Assignee", value: name ?? "", placeholder: "Name <mail>" };
  const input = el("input", attributes);
  const what = (pressed) => {
    if (pressed === "nobody") return ["assign", { nobody: true }];
    const wanted = pressed === "me" ? me : input.value.trim();
    return wanted && ["assign", { assignee: wanted }];
  };
  const buttons = [submit("Assign"), name !== me && submit("Me", "me"), name && submit("Nobody", "nobody")];
  return [name ? person(name) : quiet("nobody"), change(detail, "Change assignee", input, buttons, what)];
}

function due(detail) {
  const { due: day, status } = detail.it;
  const input = el("input", { type: "date", "aria-label": "Due", value: day ?? "" });
  const what = (pressed) => (pressed || input.value) && ["edit", { due: pressed || input.value }];
  const buttons = [submit("Set"), day && submit("Clear", "none")];
  const words = day ? dayInFull(day, status === "closed") : quiet("no day");
  return [words, change(detail, "Change due day", input, buttons, what)];
}

function milestone(detail) {
  const { milestone: now } = detail.it;
  const input = el("span"); // until the milestones are known
  const what = () => {
    const wanted = input.querySelector("select").value;
    return wanted ? ["link", { milestone: wanted }] : now && ["link", { milestone: now, unlink: true }];
  };
  const node = change(detail, "Change milestone", input, submit("Set"), what);
  node.addEventListener("toggle", () => detail.try(async () => {
    const query = { entity: "milestone", sort: ["due"], limit: 200 };
    const { items } = await get("milestones/git_mile_overview", query, detail.view);
    fill(input, choice("Milestone", [["", "none"], ...items.map(({ id, title }) => [id, title])], now));
  }), { once: true });
  const title = detail.names.get(now)?.title ?? now;
  return [now ? el("a", { href: place("milestone", now) }, title) : quiet("none"), node];
}

/** Return a list of things with a form that adds one. `write` gives the operation that adds one, or takes it off. */
function members(detail, name, values, { write, item, look = "", ...more }) {
  const input = el("input", { "aria-label": name, ...more });
  const line = (value) => {
    const remove = plain("✕", () => detail.act(...write(value, true)), { "aria-label": `Remove ${value}` });
    return el("li", item(value), remove);
  };
  const what = () => input.value.trim() && write(input.value.trim());
  return [el("ul", { class: `members plain-list ${look}` }, (values ?? []).map(line)),
    change(detail, `Add to ${name.toLowerCase()}`, input, submit("Add"), what)];
}

async function offerIssues({ it, lists, view }) {
  const { items } = await get("milestones/git_mile_overview", { entity: "issue", limit: 200 }, view);
  const others = items.filter(({ id }) => id !== it.id);
  fill(lists.querySelector("#open-issues"), others.map(({ id, title }) => el("option", { value: id }, title)));
}

const dependency = (known, id) =>
  (known ? [state(known.status), el("a", { href: place(known.kind, id) }, known.title)] : el("code", id));

function linked(to) {
  if (/^https?:\/\//.test(to)) return el("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, to);
  return /[./]/.test(to) && !/^[./]|\s/.test(to) ? el("a", { href: codeAddress(to) }, to) : el("code", to);
}
