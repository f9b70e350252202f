// One card: id, title in two lines at most, and one row of marks.

import { el, fill } from "../../dom.js";
import { left } from "../../time.js";
import { waits } from "./rules.js";

/** Return the list item of a card; `paint` fills it. */
export function cardNode(id) {
  return el("li", { class: "task card", draggable: "true", dataset: { id } });
}

/** Show a card in its node. `more` tells what is the case besides: current, changed, problem, dismiss. */
export function paint(node, card, { current, changed, problem, dismiss }) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  const tabindex = current ? "0" : "-1";
  fill(
    node,
    el("div", { class: "row" },
      el("span", { class: "quiet" }, card.id),
      priority(card.priority),
      changed && el("span", { class: "changed", title: "Changed since you last looked" }, el("span", { class: "visually-hidden" }, "changed since you last looked")),
      el("button", { class: "button plain more", type: "button", tabindex, "aria-label": `Move or take ${card.id}`, "aria-haspopup": "true", dataset: { part: "more" } }, "⋯")),
    el("a", { class: "name", href: `/task/${card.id}`, tabindex, draggable: "false", title: card.title, "aria-describedby": `marks-${card.id} board-keys`, dataset: { part: "name" } },
      el("span", { class: "visually-hidden" }, `${card.id}: `), card.title),
    el("div", { class: "marks row", id: `marks-${card.id}` }, marks(card)),
    problem && problemBox(problem, dismiss),
  );
  if (focused) node.querySelector(`[data-part="${focused}"]`)?.focus({ preventScroll: true });
}

/** Bring what is left of leases up to date, in all cards that are shown. */
export function renewLeases(root) {
  for (const node of root.querySelectorAll("[data-until]")) {
    const text = remaining(node.dataset.until);
    if (node.textContent !== text) node.textContent = text;
  }
}

function priority(name) {
  if (name === "medium") return null;
  return el("span", { class: `priority ${name}` }, name === "high" ? "▲ high" : "▽ low");
}

function remaining(until) {
  const text = left(until);
  return text === "over" ? "lease ran out" : text;
}

function marks(card) {
  const met = card.criteria && `${card.criteria_met}/${card.criteria}`;
  return [
    card.claimed_by && el("span", { class: "holder", title: `Held by ${card.claimed_by}` },
      el("span", { class: "dot" }), el("span", { class: "who" }, card.yours ? "you" : card.claimed_by), el("span", { class: "quiet", dataset: { until: card.lease_until } }, remaining(card.lease_until))),
    card.blocked_by && el("span", { class: "waits" }, waits(card)),
    met && el("span", { class: "criteria", title: `${card.criteria_met} of ${card.criteria} criteria are met` }, met,
      el("span", { class: "bar", "aria-hidden": "true", style: { "--share": `${(100 * card.criteria_met) / card.criteria}%` } })),
    card.unblocks && el("span", { class: "quiet", title: "Tasks that wait for it" }, `holds up ${card.unblocks}`),
    card.remarks && el("span", { class: "quiet", title: "Notes and remarks linked with it" }, `✎ ${card.remarks}`),
    (card.labels ?? []).map((label) => el("span", { class: "tag" }, label)),
  ];
}

function problemBox({ message, hint }, dismiss) {
  return el("div", { class: "problem", role: "alert" },
    el("strong", {}, message), hint && el("p", {}, hint),
    el("button", { class: "button", type: "button", on: { click: dismiss } }, "Understood"));
}
