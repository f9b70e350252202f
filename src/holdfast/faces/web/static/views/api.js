// The API view: every request that the server answers, from its OpenAPI description.

import { apiUrl, get } from "../api.js";
import { pluralise, quiet } from "../display.js";
import { el } from "../dom.js";

/** @import { View } from "../view.js" */
/** @typedef {{name: string, in: string, required?: boolean, description?: string}} Parameter */
/** @typedef {Record<string, any>} Operation of the OpenAPI description */

const DESCRIPTION = "openapi.json";

/** @param {View} view */
export async function show(view) {
  view.setHeading("API", { json: apiUrl(DESCRIPTION),
    filters: [quiet("Requests carry Authorization: Bearer TOKEN; `holdfast token add NAME` makes a token.")] });
  const description = await get(DESCRIPTION, {}, view);
  /** @type {Map<string, HTMLElement[]>} */
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "changes";
      groups.set(tag, [...(groups.get(tag) ?? []), operationNode(method, path, operation, description)]);
    }
  }
  for (const [tag, nodes] of [...groups].sort(([one], [other]) => one.localeCompare(other))) {
    view.main.append(el("section.stack", { "aria-label": tag },
      el("h2", tag, " ", quiet(pluralise(nodes.length, "request"))), nodes));
  }
}

/**
 * Return a request with its parameters, folded.
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {Operation} description the whole description, in which references are looked up
 */
function operationNode(method, path, operation, description) {
  const parameters = [...(operation.parameters ?? []), ...bodyMembers(operation, description)];
  return el("details.card.request",
    el("summary", el("span.tag", method.toUpperCase()), " ", el("code", path), " ", quiet(operation.summary)),
    el("p.description", operation.description),
    parameters.length > 0 && el("table",
      el("thead", el("tr", ["Name", "In", "Meaning"].map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", parameters.map((parameter) => el("tr", el("th", { scope: "row" }, el("code", parameter.name)),
        el("td", parameter.in, parameter.required && ", required"), el("td", parameter.description))))));
}

/**
 * Return the members of the object that a request sends.
 * @param {Operation} operation
 * @param {Operation} description
 * @returns {Parameter[]}
 */
function bodyMembers(operation, description) {
  const schema = operation.requestBody?.content["application/json"].schema ?? {};
  const name = schema.$ref?.split("/").pop();
  const { properties = {}, required = [] } = name ? description.components.schemas[name] : schema;
  return Object.entries(properties).map(([member, value]) => (
    { name: member, in: "body", required: required.includes(member), description: value.description }));
}
