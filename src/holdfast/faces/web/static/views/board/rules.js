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
 * @property {number[]} order where it belongs among cards sorted by `ready`, compared item by item
 * @property {boolean} [ready]
 * @property {string} [claimed_by]
 * @property {string} [lease_until]
 * @property {boolean} [yours] whether you hold it
 * @property {string} [milestone]
 * @property {string[]} [labels]
 * @property {string[]} [blocked_by] tasks, or "milestone:" and a name
 * @property {number} [unblocks]
 * @property {number} [criteria]
 * @property {number} [criteria_met]
 * @property {number} [remarks]
 * @property {string[]} [lacks] what is missing before it is done, as text
 * @property {string[]} [lacks_codes] a code for each text of `lacks`
 */

/**
 * A status, how many tasks have it, and where they may be moved.
 * @typedef {{status: string, total: number, goes_to: string[], with_reason?: string[]}} State
 */

/** @typedef {Map<string, State>} States by status */

/** The title of each column. */
export const COLUMNS = new Map(Object.entries({
  ready: "Ready", backlog: "Backlog", "in-progress": "In progress", blocked: "Blocked", review: "Review",
  done: "Done", dropped: "Dropped",
}));
/** The statuses of open tasks. */
export const OPEN = ["backlog", "in-progress", "blocked", "review"];
/** The statuses of finished tasks. */
export const FINISHED = ["done", "dropped"];
/** The lane of cards that belong to none, by the property that makes lanes. */
const NO_LANE = { agent: "Nobody", milestone: "No milestone", label: "No label" };
/** A judgement: the first few names identify the reason; the rest would not fit on a card. */
const MAX_NAMES = 3;

/**
 * Return the column of a card: ready tasks of the backlog have a column of their own.
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
  if (!FINISHED.includes(one.status)) return compareItems(one.order, other.order);
  const byNumber = other.id.localeCompare(one.id, "en", { numeric: true });
  return other.updated_at.localeCompare(one.updated_at) || byNumber;
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
function compareItems(one, other) {
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
 * Return the lane of a card. With several labels it is the one that is filtered for, or the first.
 * @param {Card} card
 * @param {string | null} lanes the property that makes lanes, if any
 * @param {Record<string, any>} filters
 */
export function laneOf(card, lanes, filters) {
  const label = card.labels?.includes(filters.label) ? filters.label : card.labels?.[0];
  return { agent: card.claimed_by, milestone: card.milestone, label }[lanes ?? ""] ?? NO_LANE[lanes ?? ""] ?? "";
}

/**
 * Sort lanes by name; the lane of cards that belong to none comes last.
 * @param {string[]} names
 * @param {string} lanes
 */
export const sortLanes = (names, lanes) => names.sort((one, other) =>
  Number(one === NO_LANE[lanes]) - Number(other === NO_LANE[lanes]) || one.localeCompare(other));

/**
 * Return a card as it would be after a move to a column.
 * @param {Card} card
 * @param {string} column
 * @returns {Card}
 */
export function cardAfterMove(card, column) {
  const isReleased = column === "ready" || FINISHED.includes(column);
  const released = isReleased ? { claimed_by: undefined, yours: undefined } : {};
  const updated_at = new Date().toISOString();
  return { ...card, ...released, status: statusOf(column), ready: column === "ready", updated_at };
}

/**
 * Return what a card that is not ready waits for.
 * @param {Card} card
 */
export function describeBlockers({ blocked_by: blockers }) {
  if (!blockers) return "waits for what its parent needs";
  const names = blockers.map((name) => (name.startsWith("milestone:") ? "its closed milestone" : name));
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `waits for ${names.slice(0, MAX_NAMES).join(", ")}${rest}`;
}

/**
 * Return what is missing before a card is done; several unchecked criteria are summed up.
 * @param {Card} card
 */
function missing({ id, lacks = [], lacks_codes: codes = [] }) {
  const criteria = lacks.filter((_, index) => codes[index] === "unchecked_criterion");
  const others = lacks.filter((_, index) => codes[index] !== "unchecked_criterion");
  const texts = [...(criteria.length > 1 ? [`${criteria.length} criteria are not checked`] : criteria), ...others];
  const command = `A person approves it with: holdfast tasks approve ${id}`;
  return `Not done yet: ${texts.join("; ")}.${codes.includes("not_approved") ? ` ${command}` : ""}`;
}

/**
 * Return why a card may not be moved to a column, or null if it may.
 * @param {Card} card
 * @param {string} column
 * @param {States} states
 */
export function refusal(card, column, states) {
  const status = statusOf(column);
  if (status === card.status) {
    if (column === columnOf(card)) return "It is already here.";
    return column === "ready" ? `Not ready: ${describeBlockers(card)}.` : "It is ready: nothing blocks it.";
  }
  const targets = states.get(card.status)?.goes_to ?? [], names = targets.map((name) => COLUMNS.get(name));
  if (!targets.includes(status)) return `From ${COLUMNS.get(card.status)} it can go to ${names.join(", ")}.`;
  if (status === "done" && card.lacks) return missing(card);
  if (status === "in-progress" && card.status === "backlog" && !card.ready) return `Not yet: ${describeBlockers(card)}.`;
  if (column === "backlog" && !card.blocked_by) return "Nothing blocks it: it goes to Ready.";
  if (column === "ready" && card.blocked_by) return `Not ready: ${describeBlockers(card)}.`;
  return null;
}
