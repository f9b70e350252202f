// One card: id, title in two lines at most, and one row of marks.

import { button, quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";
import { left } from "../../time.js";
import { failure } from "../../view.js";
import { waits } from "./rules.js";

const PRIORITIES = { high: "▲ high", low: "▽ low" };
const CHANGED = "Changed since you last looked";

/** Show a card of a board in its node. */
export function paint(node, card, board) {
  const focused = node.contains(document.activeElement) && document.activeElement.dataset.part;
  const { id, priority, title } = card, tabindex = id === board.current ? "0" : "-1";
  const name = { class: "name two-lines", href: `/task/${id}`, title, draggable: "false", tabindex, dataset: { part: "name" } };
  const more = { class: "button plain more", type: "button", tabindex, dataset: { part: "more" } };
  fill(
    node,
    el("div", { class: "row" },
      quiet(id),
      PRIORITIES[priority] && el("span", { class: `priority ${priority}` }, PRIORITIES[priority]),
      board.isNews(card) && el("span", { class: "changed", title: CHANGED }, el("span", { class: "visually-hidden" }, CHANGED)),
      el("button", { ...more, "aria-label": `Move or take ${id}`, "aria-haspopup": "true" }, "⋯")),
    el("a", { ...name, "aria-describedby": `marks-${id} board-keys` }, el("span", { class: "visually-hidden" }, `${id}: `), title),
    el("div", { class: "marks row", id: `marks-${id}` }, marks(card)),
    board.problems.has(id) && problemBox(board.problems.get(id), () => board.dismiss(id)),
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

function remaining(until) {
  const text = left(until);
  return text === "over" ? "lease ran out" : text;
}

function marks(card) {
  const { claimed_by: holder, lease_until: until, criteria, criteria_met: met } = card;
  return [
    holder && el("span", { class: "holder", title: `Held by ${holder}` }, el("span", { class: "dot" }),
      el("span", { class: "who" }, card.yours ? "you" : holder), el("span", { class: "quiet", dataset: { until } }, remaining(until))),
    card.blocked_by && el("span", { class: "waits" }, waits(card)),
    criteria && el("span", { class: "criteria", title: `${met} of ${criteria} criteria are met` }, `${met}/${criteria}`,
      el("span", { class: "bar", "aria-hidden": "true", style: { "--share": `${(100 * met) / criteria}%` } })),
    card.unblocks && el("span", { class: "quiet", title: "Tasks that wait for it" }, `holds up ${card.unblocks}`),
    card.remarks && el("span", { class: "quiet", title: "Notes and remarks linked with it" }, `✎ ${card.remarks}`),
    card.labels?.map((label) => el("span", { class: "tag" }, label)),
  ];
}

function problemBox(problem, dismiss) {
  const box = failure(problem);
  box.append(button("Understood", dismiss));
  return box;
}
