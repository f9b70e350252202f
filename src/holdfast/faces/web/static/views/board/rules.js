// What the board knows about tasks: columns, their order, lanes, and why a card may not go somewhere.

export const COLUMNS = new Map(Object.entries({
  ready: "Ready", backlog: "Backlog", "in-progress": "In progress", blocked: "Blocked", review: "Review",
  done: "Done", dropped: "Dropped",
}));
export const OPEN = ["backlog", "in-progress", "blocked", "review"];
export const FINISHED = ["done", "dropped"];
const URGENCY = { high: 0, medium: 1, low: 2 };
const NOBODY = { agent: "Nobody", milestone: "No milestone", label: "No label" };

/** Return the column of a card: what may be taken from the backlog has one of its own. */
export const columnOf = (card) => (card.status === "backlog" && card.ready ? "ready" : card.status);

export const statusOf = (column) => (column === "ready" ? "backlog" : column);

/** Order cards: as they are handed out, finished ones by when they were. */
export function compare(one, other) {
  const number = Number(one.id.slice(3)) - Number(other.id.slice(3));
  if (FINISHED.includes(one.status)) return other.updated_at.localeCompare(one.updated_at) || -number;
  const waiting = (other.unblocks ?? 0) - (one.unblocks ?? 0);
  return URGENCY[one.priority] - URGENCY[other.priority] || waiting || one.rank - other.rank || number;
}

/** Return the place of a card in a sorted list. */
export function placeIn(cards, card) {
  const place = cards.findIndex((other) => compare(other, card) > 0);
  return place < 0 ? cards.length : place;
}

/** Return the lane of a card: with several labels that of the first, or of the one that is looked for. */
export function laneOf(card, lanes, filters) {
  const label = card.labels?.includes(filters.label) ? filters.label : card.labels?.[0];
  return { agent: card.claimed_by, milestone: card.milestone, label }[lanes] ?? NOBODY[lanes] ?? "";
}

/** Order lanes by name, the one of those that have none at the end. */
export const inOrder = (names, lanes) =>
  names.sort((one, other) => (one === NOBODY[lanes]) - (other === NOBODY[lanes]) || one.localeCompare(other));

/** Return a card as it would be in a column. */
export function moved(card, column) {
  const freed = column === "ready" || FINISHED.includes(column) ? { claimed_by: undefined, yours: undefined } : {};
  const updated_at = new Date().toISOString();
  return { ...card, ...freed, status: statusOf(column), ready: column === "ready", updated_at };
}

/** Return what a card that is not ready waits for, in words. */
export function waits({ blocked_by: needs }) {
  if (!needs) return "waits for what its parent needs";
  const names = needs.slice(0, 3).map((name) => (name.startsWith("milestone:") ? "its closed milestone" : name));
  return `waits for ${names.join(", ")}${needs.length > 3 ? ` and ${needs.length - 3} more` : ""}`;
}

/** Return what is missing before a card is done, in words; criteria are named together. */
function missing({ id, lacks }) {
  const numbers = lacks.flatMap((text) => text.match(/^criterion (\d+) is not checked$/)?.[1] ?? []);
  const others = lacks.filter((text) => !text.startsWith("criterion "));
  const names = new Intl.ListFormat("en-GB").format(numbers);
  if (numbers.length === 1) others.unshift(`criterion ${names} is not checked`);
  if (numbers.length > 1) others.unshift(`criteria ${names} are not checked`);
  const command = others.some((text) => text.includes("approved")) && `holdfast tasks approve ${id}`;
  return `Not done yet: ${others.join("; ")}.${command ? ` A person says so with: ${command}` : ""}`;
}

/** Return why a card may not go into a column, or null when it may. `states` says what goes where. */
export function refusal(card, column, states) {
  const status = statusOf(column);
  if (status === card.status) {
    if (column === columnOf(card)) return "It is here already.";
    return column === "ready" ? `Not ready: ${waits(card)}.` : "It is ready: nothing holds it up.";
  }
  const possible = states.get(card.status).goes_to, names = possible.map((name) => COLUMNS.get(name));
  if (!possible.includes(status)) return `From ${COLUMNS.get(card.status)} it can go to ${names.join(", ")}.`;
  if (status === "done" && card.lacks) return missing(card);
  if (status === "in-progress" && card.status === "backlog" && !card.ready) return `Not yet: ${waits(card)}.`;
  if (column === "backlog" && !card.blocked_by) return "Nothing holds it up: it goes to Ready.";
  if (column === "ready" && card.blocked_by) return `Not ready: ${waits(card)}.`;
  return null;
}
