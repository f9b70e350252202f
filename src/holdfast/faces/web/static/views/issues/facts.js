// The facts beside an issue or milestone, each with a form that changes it.

import { get } from "../../api.js";
import { button, choice, plainButton } from "../../controls.js";
import { quiet } from "../../display.js";
import { el, fill, patch } from "../../dom.js";
import { form, submitButton } from "../../forms.js";
import { icon } from "../../icons.js";
import { codeAddress } from "../../links.js";
import { label, person } from "../../people.js";
import { ago, timeLeft } from "../../time.js";
import { dueDate, entityAddress, statusLabel } from "./entity.js";

/** @import { Detail } from "./detail.js" */
/** @import { Item } from "./entity.js" */

/** The number of milestones or issues that an input offers; a judgement: a longer list is searched, not read. */
const MAX_SUGGESTIONS = 200;

/**
 * An operation without its prefix, and its arguments; a falsy value if there is nothing to change.
 * @typedef {[operation: string, body: object] | false | null | undefined | ""} Change
 */

/**
 * Draw the facts. Each is updated separately, so that an open form in one of them is kept.
 * @param {Detail} detail
 * @param {any} vocabulary the fields of the filter language and the name of the user
 */
export function drawFacts(detail, vocabulary) {
  const { item, references, factElements, side } = detail;
  const { identity, fields } = vocabulary;
  const valuesOf = (/** @type {string} */ name) => fields.find((field) => field.name === name)?.values ?? [];
  const described = (/** @type {string[]} */ ids) =>
    ids.map((id) => [id, references.get(id)?.title, references.get(id)?.status]);
  const show = (/** @type {string} */ name, /** @type {any} */ data, /** @type {() => any} */ draw) => {
    const node = factElements.get(name) ?? side.appendChild(el("div.fact"));
    factElements.set(name, node);
    patch(node, data, () => [el("h2", name), el("div.stack", draw())]);
  };
  fill(detail.datalists,
    datalist("people", [identity, ...valuesOf("assignee"), ...valuesOf("author")]),
    datalist("labels", valuesOf("labels")), datalist("open-issues", []));
  show("Claim", [item.claim, item.status], () => drawClaim(detail, identity));
  show("Assignee", item.assignee, () => drawAssignee(detail, identity));
  show("Labels", item.labels, () => drawList(detail, "Labels", item.labels, {
    add: (label) => ["label", { add: [label] }], remove: (label) => ["label", { remove: [label] }],
    drawValue: label, class: "chips", input: { list: "labels" },
  }));
  show("Due", [item.due, item.status], () => drawDue(detail));
  if (item.entity === "issue") show("Milestone", described([item.milestone]), () => drawMilestone(detail));
  show("Depends on", described(item.dependencies ?? []), () => drawList(detail, "Depends on", item.dependencies, {
    add: (id) => ["link", { dependsOn: [id] }], remove: (id) => ["link", { dependsOn: [id], unlink: true }],
    drawValue: (id) => drawDependency(references.get(id), id),
    input: {
      list: "open-issues", placeholder: "Id of an issue",
      on: { focus: () => detail.attempt(() => offerIssues(detail)) },
    },
  }));
  show("Links", item.links, () => drawList(detail, "Links", item.links, {
    add: (target) => ["link", { to: [target] }], remove: (target) => ["link", { to: [target], unlink: true }],
    drawValue: drawLink, input: { placeholder: "Path, commit or URL" },
  }));
  show("Changed", item.updated, () => ago(item.updated));
  show("Id", item.id, () => el("code", item.id));
}

/**
 * @param {string} id
 * @param {string[]} values
 */
const datalist = (id, values) =>
  el("datalist", { id }, [...new Set(values)].map((value) => el("option", { value })));

/**
 * Return a form that unfolds.
 * @param {Detail} detail
 * @param {string} label
 * @param {Node} input
 * @param {any} buttons
 * @param {(pressed?: string) => Change} readChange returns the change for the pressed button
 */
function changeForm(detail, label, input, buttons, readChange) {
  const send = async (/** @type {any} */ _values, /** @type {string | undefined} */ pressed) => {
    const change = readChange(pressed);
    if (change) await detail.write(...change, () => (box.open = false));
    const current = /** @type {HTMLElement | null} */ (detail.side.querySelector(`summary[aria-label="${label}"]`));
    if (!box.open) current?.focus();
  };
  const refreshIfClosed = () => {
    if (!box.open) detail.refresh(); // an open form keeps its fact from being updated
  };
  const summary = el("summary", { "aria-label": label }, label.split(" ")[0]);
  const box = el("details", { on: { toggle: refreshIfClosed } }, summary, form(input, { buttons, send }));
  return box;
}

/**
 * @param {Detail} detail
 * @param {string} me the name of the user
 */
function drawClaim(detail, me) {
  const { claim, status } = detail.item;
  const claimButton = (/** @type {string} */ text, /** @type {string} */ operation) =>
    button(text, () => detail.act(operation, {}));
  if (!claim) {
    return [quiet("Nobody is working on it."), status !== "closed" && claimButton("Claim for an hour", "claim")];
  }
  const left = quiet(` ${timeLeft(claim.until) ?? "no time"} left`);
  return [el("span", person(claim.actor), left), claim.actor === me && claimButton("Release", "release")];
}

/**
 * @param {Detail} detail
 * @param {string} me the name of the user
 */
function drawAssignee(detail, me) {
  const { assignee } = detail.item;
  const properties = { list: "people", "aria-label": "Assignee", value: assignee ?? "", placeholder: "Name <mail>" };
  const input = el("input", properties);
  /** @type {(pressed?: string) => Change} */
  const readChange = (pressed) => {
    if (pressed === "nobody") return ["assign", { nobody: true }];
    const name = pressed === "me" ? me : input.value.trim();
    return name && ["assign", { assignee: name }];
  };
  const buttons = [submitButton("Assign"), assignee !== me && submitButton("Me", "me"),
    assignee && submitButton("Nobody", "nobody")];
  return [assignee ? person(assignee) : quiet("nobody"),
    changeForm(detail, "Change assignee", input, buttons, readChange)];
}

/** @param {Detail} detail */
function drawDue(detail) {
  const { due, status } = detail.item;
  const input = el("input", { type: "date", "aria-label": "Due", value: due ?? "" });
  /** @type {(pressed?: string) => Change} */
  const readChange = (pressed) => {
    const value = pressed || input.value; // the button "Clear" has the value "none"
    return value && ["edit", { due: value }];
  };
  const buttons = [submitButton("Set"), due && submitButton("Clear", "none")];
  const current = due ? dueDate(due, status === "closed") : quiet("no due date");
  return [current, changeForm(detail, "Change due date", input, buttons, readChange)];
}

/** @param {Detail} detail */
function drawMilestone(detail) {
  const { milestone } = detail.item;
  const input = el("span"); // filled when the form is opened and the milestones are loaded
  /** @type {() => Change} */
  const readChange = () => {
    const chosen = input.querySelector("select")?.value;
    if (chosen) return ["link", { milestone: chosen }];
    return milestone && ["link", { milestone, unlink: true }];
  };
  const node = changeForm(detail, "Change milestone", input, submitButton("Set"), readChange);
  node.addEventListener("toggle", () => detail.attempt(async () => {
    const query = { entity: "milestone", sort: ["due"], limit: MAX_SUGGESTIONS };
    const { items } = await get("milestones/git_mile_overview", query, detail.view);
    /** @type {[string, string][]} */
    const options = items.map(({ id, title }) => [id, title]);
    fill(input, choice("Milestone", [["", "none"], ...options], milestone));
  }), { once: true });
  const title = detail.references.get(milestone)?.title ?? milestone;
  return [milestone ? el("a", { href: entityAddress("milestone", milestone) }, title) : quiet("none"), node];
}

/**
 * Return a list of values with buttons to remove each of them, and a form that adds one.
 * @param {Detail} detail
 * @param {string} name
 * @param {string[] | null | undefined} values
 * @param {object} options
 * @param {(value: string) => [operation: string, body: object]} options.add
 * @param {(value: string) => [operation: string, body: object]} options.remove
 * @param {(value: string) => any} options.drawValue
 * @param {string} [options.class] of the list
 * @param {Record<string, any>} [options.input] properties of the input
 */
function drawList(detail, name, values, { add, remove, drawValue, class: classes = "", input: properties = {} }) {
  const input = el("input", { "aria-label": name, ...properties });
  const line = (/** @type {string} */ value) => {
    const removeValue = () => detail.act(...remove(value));
    return el("li", drawValue(value), plainButton(icon("close"), removeValue, { "aria-label": `Remove ${value}` }));
  };
  /** @type {() => Change} */
  const readChange = () => {
    const value = input.value.trim();
    return value && add(value);
  };
  return [el("ul", { class: `members plain-list ${classes}` }, (values ?? []).map(line)),
    changeForm(detail, `Add to ${name.toLowerCase()}`, input, submitButton("Add"), readChange)];
}

/** @param {Detail} detail */
async function offerIssues({ item, datalists, view }) {
  const query = { entity: "issue", limit: MAX_SUGGESTIONS };
  const { items } = await get("milestones/git_mile_overview", query, view);
  const others = items.filter(({ id }) => id !== item.id);
  const list = /** @type {HTMLElement} */ (datalists.querySelector("#open-issues"));
  fill(list, others.map(({ id, title }) => el("option", { value: id }, title)));
}

/**
 * @param {Item | undefined} dependency undefined if no issue or milestone has the id
 * @param {string} id
 */
function drawDependency(dependency, id) {
  if (!dependency) return el("code", id);
  return [statusLabel(dependency.status), el("a", { href: entityAddress(dependency.kind, id) }, dependency.title)];
}

/**
 * Return a link to a web page or a file; anything else, such as a commit, is only text.
 * @param {string} target
 */
function drawLink(target) {
  const isUrl = /^https?:\/\//.test(target);
  if (isUrl) return el("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, target);
  const isPath = /[./]/.test(target) && !/^[./]|\s/.test(target);
  return isPath ? el("a", { href: codeAddress(target) }, target) : el("code", target);
}
