// Where the board's cards come from and where moves go: the only module of the board that asks the server.

import { apiUrl, get, post } from "../../api.js";
import { feed } from "../../live.js";

const PATH = "tasks/taskpilot_board";
const PAGE = 500;
const MOST_CARDS = 5000;
export const MOST_NAMED = 100;
const HAPPENINGS = ["created", "updated", "claimed", "released", "handed-over", "attached"];

/** The tasks that fit some filters. */
export class Source {
  constructor(view, filters) {
    Object.assign(this, { view, filters, json: apiUrl(PATH, filters) });
  }

  async *pages(status, sort) {
    let answer, count = 0;
    do {
      const cursor = answer?.next_cursor;
      answer = await get(PATH, { ...this.filters, status, sort, limit: PAGE, cursor }, this.view);
      yield answer;
      count += answer.cards.length;
    } while (answer.next_cursor && count < MOST_CARDS);
  }

  /** Return how up to a hundred tasks are now; those that do not fit the filters any more are missing. */
  cards(ids) {
    return get(PATH, { ...this.filters, task_ids: ids, limit: PAGE }, this.view);
  }

  /** Move a card that nobody changed since it was read. */
  move({ id, version }, status, reason) {
    const body = { task_id: id, set: { status }, reason: reason || undefined };
    return post("tasks/taskpilot_update", body, { version });
  }

  claim(id, action) {
    return post("tasks/taskpilot_claim", { action, task_id: id });
  }

  /** Add a task that fits the filters as far as a new one can. */
  add(task) {
    const { label, milestone } = this.filters;
    return post("tasks/taskpilot_create_task", { ...task, labels: label && [label], milestone });
  }

  /** Begin a workspace; the first sign of it may end the view. */
  begin() {
    return post("tasks/taskpilot_init");
  }

  /** Call back for each thing that happened to a task after an event, until the view is left. */
  follow(last, happened) {
    const callbacks = Object.fromEntries(HAPPENINGS.map((name) => [`task.${name}`, happened]));
    const stop = (this.view.feed ?? feed)("workspaces/current/events", callbacks, last);
    this.view.signal.addEventListener("abort", stop);
  }
}
