// Events of tasks in words.

const DEEDS = { created: "added ", claimed: "took ", released: "gave back ", "handed-over": "handed over ", attached: "attached a file to " };
const NAMES = { claimed_by: "holder", depends_on: "dependencies", issue_number: "issue", issue_url: "issue", parent: "parent task" };
const FOLLOWING = ["status", "claimed_by", "progress"]; // what a change of state brings with it

/** Return what somebody did to a task, around what names the task: "moved ", TP-1, " to review". */
export function told({ type, status, changed }, task) {
  if (type !== "updated") return [DEEDS[type] ?? `${type}: `, task];
  const rest = changed.filter((name) => !(status && FOLLOWING.includes(name)));
  const names = [...new Set(rest.map((name) => NAMES[name] ?? name))].join(", ");
  if (!status) return [`changed ${names} of `, task];
  return ["moved ", task, ` to ${status}${names ? `, changed ${names}` : ""}`];
}
