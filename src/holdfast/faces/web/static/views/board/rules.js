// The rules of the board: columns, the order of cards, lanes, and why a card may not be moved to a column.

/**
 * A task as the server describes it for the board.
 * @typedef {object} Card
 * @property {string} id
 * @property {string} title
 * @property {string} status
 * @property {string} priority
 * @property {number} version
 * @property {string} updated_at
 * @property {number[]} order the sort key of the order `ready`, compared item by item
 * @property {boolean} [ready]
 * @property {string} [claimed_by]
 * @property {string} [lease_until]
 * @property {boolean} [yours] whether the user holds the task
 * @property {string} [milestone]
 * @property {string[]} [labels]
 * @property {string[]} [blocked_by] ids of tasks, or "milestone:" and a name
 * @property {number} [unblocks] the number of tasks that wait for this one
 * @property {number} [criteria]
 * @property {number} [criteria_met]
 * @property {number} [remarks]
 * @property {string[]} [lacks] the unmet conditions of the done gate, as text
 * @property {string[]} [lacks_codes] a code for each text of `lacks`
 */

/**
 * A status, the number of its tasks, and the statuses they can be moved to, some of them only with a reason.
 * @typedef {{status: string, total: number, goes_to: string[], with_reason?: string[]}} State
 */

/** The title of each column. */
export const COLUMNS = new Map(Object.entries({
  ready: "Ready", backlog: "Backlog", "in-progress": "In progress", blocked: "Blocked", review: "Review",
  done: "Done", dropped: "Dropped",
}));
/** The statuses of open tasks. */
export const OPEN_STATUSES = ["backlog", "in-progress", "blocked", "review"];
/** The statuses of finished tasks. */
export const FINISHED_STATUSES = ["done", "dropped"];
/** The title of the lane for cards without a value, by the property that makes the lanes. */
const EMPTY_LANES = { agent: "Nobody", milestone: "No milestone", label: "No label" };
/** The priorities of tasks, the highest first. */
export const PRIORITIES = ["high", "medium", "low"];
/** The server's limit for titles, criteria and references of evidence. */
export const MAX_TITLE_CHARACTERS = 200;
/** A judgement: more names do not fit on a card. */
const MAX_BLOCKERS_NAMED = 3;

/**
 * Return the column of a card. Ready tasks of the backlog have a separate column.
 * @param {Card} card
 */
export const columnOf = (card) => (card.status === "backlog" && card.ready ? "ready" : card.status);

/** @param {string} column */
export const statusOf = (column) => (column === "ready" ? "backlog" : column);

/**
 * Compare cards of one column as the server sorts them: open ones by `ready`, finished ones by `updated`.
 * @param {Card} one
 * @param {Card} other
 */
export function compareCards(one, other) {
  if (!FINISHED_STATUSES.includes(one.status)) return compareLists(one.order, other.order);
  const byNumber = other.id.localeCompare(one.id, "en", { numeric: true });
  return other.updated_at.localeCompare(one.updated_at) || byNumber;
}

/**
 * Compare two lists by the first items that differ; a list that is a prefix of the other comes first.
 * @param {number[]} one
 * @param {number[]} other
 */
function compareLists(one, other) {
  const index = one.findIndex((item, at) => item !== other[at]);
  return index < 0 ? 0 : one[index] - (other[index] ?? -Infinity);
}

/**
 * Return the index at which a card belongs in a sorted list.
 * @param {Card[]} cards
 * @param {Card} card
 */
export function insertionIndex(cards, card) {
  const index = cards.findIndex((other) => compareCards(other, card) > 0);
  return index < 0 ? cards.length : index;
}

/**
 * Return the title of a card's lane. Of several labels, the one in the filter is used, else the first.
 * @param {Card} card
 * @param {string | null} property the property that makes lanes, if any
 * @param {Record<string, any>} filters
 */
export function laneOf(card, property, filters) {
  const label = card.labels?.includes(filters.label) ? filters.label : card.labels?.[0];
  if (!property) return "";
  return { agent: card.claimed_by, milestone: card.milestone, label }[property] ?? EMPTY_LANES[property] ?? "";
}

/**
 * Sort lanes by name, with the lane of cards without a value last.
 * @param {string[]} names
 * @param {string} property
 */
export const sortLanes = (names, property) => names.sort((one, other) =>
  Number(one === EMPTY_LANES[property]) - Number(other === EMPTY_LANES[property]) || one.localeCompare(other));

/**
 * Predict the card that results from a move to a column.
 * @param {Card} card
 * @param {string} column
 * @returns {Card}
 */
export function cardAfterMove(card, column) {
  const isReleased = column === "ready" || FINISHED_STATUSES.includes(column);
  const released = isReleased ? { claimed_by: undefined, yours: undefined } : {};
  const updated_at = new Date().toISOString();
  return { ...card, ...released, status: statusOf(column), ready: column === "ready", updated_at };
}

/**
 * Describe what a card that is not ready waits for: "waits for TP-1, TP-2".
 * @param {Card} card
 */
export function describeBlockers({ blocked_by: blockers }) {
  if (!blockers) return "waits for the dependencies of its parent";
  const names = blockers.map((name) => (name.startsWith("milestone:") ? "its closed milestone" : name));
  const rest = names.length - MAX_BLOCKERS_NAMED;
  return `waits for ${names.slice(0, MAX_BLOCKERS_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/**
 * Describe the unmet conditions of the done gate; several unchecked criteria become one number.
 * @param {Card} card
 */
function describeUnmet({ id, lacks = [], lacks_codes: codes = [] }) {
  const criteria = lacks.filter((_, index) => codes[index] === "unchecked_criterion");
  const others = lacks.filter((_, index) => codes[index] !== "unchecked_criterion");
  const summary = criteria.length > 1 ? [`${criteria.length} criteria are not checked`] : criteria;
  const texts = [...summary, ...others];
  const advice = codes.includes("not_approved") ? ` A person approves it with: holdfast tasks approve ${id}` : "";
  return `Not done yet: ${texts.join("; ")}.${advice}`;
}

/**
 * Return the reason why a card cannot be moved to a column, or null if it can.
 * @param {Card} card
 * @param {string} column
 * @param {Map<string, State>} states by status
 */
export function refusal(card, column, states) {
  const status = statusOf(column);
  if (status === card.status) {
    if (column === columnOf(card)) return "It is already here.";
    return column === "ready" ? `Not ready: ${describeBlockers(card)}.` : "It is ready: nothing blocks it.";
  }
  const targets = states.get(card.status)?.goes_to ?? [];
  const titles = targets.map((target) => COLUMNS.get(target));
  if (!targets.includes(status)) return `From ${COLUMNS.get(card.status)} it can go to ${titles.join(", ")}.`;
  if (status === "done" && card.lacks) return describeUnmet(card);
  const isStart = status === "in-progress" && card.status === "backlog";
  if (isStart && !card.ready) return `Not yet: ${describeBlockers(card)}.`;
  if (column === "backlog" && !card.blocked_by) return "Nothing blocks it: it goes to Ready.";
  if (column === "ready" && card.blocked_by) return `Not ready: ${describeBlockers(card)}.`;
  return null;
}
