// The Review view: a diff, file by file, remarks on its lines for the agent, and its answers.

import { apiUrl, get, post } from "../api.js";
import { button, choice, primaryButton } from "../controls.js";
import { pluralise, emptyState, quiet } from "../display.js";
import { arrange, el, fill, highlight } from "../dom.js";
import { commitAddress } from "../links.js";
import { FileDiff, changeCounts } from "./review/file.js";
import { threadWithLink, formatMessage, groupThreads } from "./review/remarks.js";
import { Selection } from "./review/selection.js";
import { DONE_REMARKS, Drafts, isMarked, setMark } from "../storage.js";

/** @import { View } from "../view.js" */
/** @import { Draft, Thread } from "./review/remarks.js" */

/** How often the diff is checked for changes; a judgement: one conditional request each time. */
const CHECK_MS = 3000;
/** Threads on other files that are shown unfolded. */
const MAX_UNFOLDED = 5;
/** The empty tree of git, in SHA-1 and SHA-256, which it compares with before the first commit. */
const EMPTY_TREE = /^(4b825dc642|6ef19b4122)/;
const WIDE = "(min-width: 1000px)";
/** What can be reviewed: a title and the fields that it needs. */
const WHAT = {
  worktree: ["Uncommitted changes"], unstaged: ["Unstaged changes"], staged: ["Staged changes"],
  commit: ["A commit", "revision"], range: ["A range of commits", "base", "revision"], branch: ["This branch", "base"],
};
const FIELDS = { revision: ["Commit", "HEAD"], base: ["From", "main"] };

/** @param {View} view */
export async function show(view) {
  const repository = await get("tasks/taskpilot_workspaces", {}, view).catch(() => ({}));
  await new Review(view, repository.workspaces?.[0]?.name ?? "").start();
}

/** The state of the view. */
export class Review {
  /**
   * @param {View} view
   * @param {string} repository
   */
  constructor(view, repository) {
    this.view = view;
    /** @type {Map<string, FileDiff>} by path */
    this.files = new Map();
    /** @type {Thread[]} those that are not done */
    this.threads = [];
    /** @type {any} the last diff */
    this.data = null;
    /** @type {Set<Draft>} drafts that are being sent */
    this.sending = new Set();
    this.summary = el("span.quiet", { role: "status" });
    this.index = el("ul.plain-list");
    this.list = el("div.stack");
    this.rest = el("section.stack", { "aria-label": "Remarks elsewhere" });
    this.errorPlace = el("div");
    this.layout = button("Side by side", () => this.toggleLayout(), { class: "button layout" });
    this.sendAll = primaryButton("", () => this.send(this.drafts.list), { hidden: true });
    this.selection = new Selection(this, this.list);
    this.drafts = new Drafts(repository);
    this.visibility = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
      if (isIntersecting) FileDiff.of(target)?.load();
    }), { root: view.main, rootMargin: "600px" });
    view.signal.addEventListener("abort", () => this.visibility.disconnect());
  }

  /** What is reviewed, as the arguments of the operation. */
  get query() {
    const wanted = this.view.query.get("what") ?? "";
    const what = wanted in WHAT ? wanted : "worktree";
    const [, ...fields] = WHAT[what];
    return { what, ...Object.fromEntries(fields.map((name) => [name, this.view.query.get(name)])) };
  }

  /** Whether old and new lines are side by side. */
  get isSplit() {
    return this.view.query.get("layout") === "split" && matchMedia(WIDE).matches;
  }

  async start() {
    const { view } = this;
    this.heading();
    view.main.append(this.errorPlace, el("div.review",
      el("nav", { "aria-label": "Files" }, this.index), el("div.stack", this.list, this.rest)));
    view.on("inbox", () => this.loadRemarks());
    const reload = (/** @type {StorageEvent} */ { key }) =>
      key === this.drafts.name && (this.drafts.reload(), this.redraw());
    addEventListener("storage", reload, { signal: view.signal }); // another window changed the drafts
    view.poll(CHECK_MS, () => this.refresh());
    view.addKey("u", "Unified or side by side", () => this.toggleLayout());
    matchMedia(WIDE).addEventListener("change", () => this.draw(), { signal: view.signal });
    await Promise.all([this.refresh(), this.loadRemarks()]);
  }

  heading() {
    const { what } = this.query;
    const pick = (changes) => (this.view.setQuery(changes), this.view.go(location.href));
    /** @type {[string, string][]} */
    const options = Object.entries(WHAT).map(([value, [text]]) => [value, text]);
    const choose = (/** @type {string} */ value) => pick({ what: value, revision: null, base: null });
    const fields = WHAT[what].slice(1).map((name) => {
      const [label, example] = what === "range" && name === "base" ? ["From", "HEAD~3"] : FIELDS[name];
      const change = (/** @type {any} */ { target }) => pick({ [name]: target.value.trim() });
      const value = this.view.query.get(name) ?? "";
      return el("input", { "aria-label": label, placeholder: `${label}: ${example}`, value, on: { change } });
    });
    this.layout.ariaPressed = String(this.isSplit);
    this.view.setHeading("Review", {
      json: apiUrl("source/read_diff", this.query),
      tools: [this.sendAll, this.layout],
      filters: [choice("What to review", options, what, choose), fields, this.summary],
    });
  }

  toggleLayout() {
    this.view.setQuery({ layout: this.view.query.get("layout") === "split" ? null : "split" });
    this.draw();
  }

  draw() {
    this.layout.ariaPressed = String(this.isSplit);
    this.files.forEach((file) => file.draw());
  }

  /** Load the diff and draw the files that have changed. */
  refresh() {
    return this.view.attempt(this.errorPlace, async () => {
      const data = await get("source/read_diff", this.query, this.view);
      fill(this.errorPlace);
      const before = this.files;
      const isCurrent = (/** @type {any} */ { path, version }) => before.get(path)?.file.version === version;
      if (data === this.data && data.files.every(isCurrent)) return;
      this.data = data;
      this.files = new Map(data.files.map((/** @type {any} */ file) => {
        const known = before.get(file.path);
        const stays = isCurrent(file) || known?.inUse.length; // while the user writes, its lines do not change
        return [file.path, stays ? known : this.newFile(file, known)];
      }));
      arrange(this.list, this.files.size ? [...this.files.values()].map(({ node }) => node) : [this.nothing()]);
      this.showSummary();
      this.showRest();
    });
  }

  nothing() {
    const later = "Changes by agents and by you are shown here.";
    if (this.query.what !== "worktree") return emptyState("There are no differences.");
    if (EMPTY_TREE.test(this.data.old)) return emptyState(`Nothing has been committed yet. ${later}`);
    return emptyState(`Nothing has changed since the last commit. ${later}`,
      el("a.button", { href: commitAddress("HEAD") }, "See the last commit"));
  }

  /**
   * Return a file that is new or has changed; if its lines were shown, they are shown again.
   * @param {any} file
   * @param {FileDiff | undefined} known
   */
  newFile(file, known) {
    const diff = new FileDiff(this, file);
    if (known?.table && !diff.tick.checked) diff.load(known.context).then(() => highlight(diff.node));
    return diff;
  }

  /** Show the totals, the list of files and the number of drafts. */
  showSummary() {
    const files = [...this.files.values()];
    const sum = (name) => files.reduce((total, { file }) => total + (file[name] ?? 0), 0);
    const seen = files.filter(({ tick }) => tick.checked).length;
    const { total_files: total, subject, note } = this.data;
    const changes = [changeCounts({ added: sum("added"), removed: sum("removed") }), ` · ${seen} of ${files.length} seen`];
    const text = `${subject ? `“${subject}” · ` : ""}${pluralise(total, "file")} `;
    fill(this.summary, text, total > 0 && changes, note && ` · ${note}`);
    fill(this.index, files.map((file) => el("li", this.entry(file))));
    this.showDrafts();
  }

  /**
   * Return the entry of a file in the list.
   * @param {FileDiff} diff
   */
  entry({ file, tick, node }) {
    const [, folder, name] = file.path.match(/^(?:(.*)\/)?(.*)$/s) ?? [];
    const jump = () => (node.scrollIntoView({ block: "start" }), this.selection.move(node.querySelector("tr.line")));
    return button([el("span.one-line", name, quiet(` ${folder ?? ""}`)), changeCounts(file),
      el("span.tick", tick.checked && "✓"), tick.checked && el("span.visually-hidden", "seen")],
    jump, { class: "button plain", title: file.path });
  }

  loadRemarks() {
    return this.view.attempt(this.errorPlace, async () => {
      const { messages } = await get("inbox/list_messages", { newest: true, limit: 200 }, this.view);
      this.threads = groupThreads(messages).filter((thread) => !isMarked(DONE_REMARKS, lastOf(thread).id));
      this.redraw();
    });
  }

  /** Draw the remarks and drafts again. */
  redraw() {
    for (const file of this.files.values()) file.showRemarks();
    this.showRest();
    this.showDrafts();
  }

  /** Show the threads on files that are not part of the diff. */
  showRest() {
    if (!this.data || this.rest.contains(document.activeElement) || this.rest.querySelector("form")) return;
    const others = this.threads.filter((thread) => !this.files.has(thread.file)).reverse();
    const nodes = others.map((thread) => threadWithLink(thread, this.options(thread)));
    const older = nodes.splice(MAX_UNFOLDED);
    fill(this.rest, nodes.length > 0 && el("h2", "Remarks elsewhere"), nodes,
      older.length > 0 && el("details", el("summary", `${older.length} older`), el("div.stack", older)));
  }

  /**
   * What a thread needs to be shown.
   * @param {Thread} thread
   */
  options(thread) {
    const reload = () => this.loadRemarks();
    return { view: this.view, reload, done: () => (setMark(DONE_REMARKS, lastOf(thread).id), reload()) };
  }

  showDrafts() {
    const { length } = this.drafts.list.filter((draft) => draft.text.trim());
    this.sendAll.hidden = length === 0;
    fill(this.sendAll, `Send all (${length})`);
  }

  /**
   * What a draft needs to be shown and edited.
   * @param {Draft} draft
   */
  draftOptions(draft) {
    /** Draw the drafts again; the focus goes to the field of the draft or else to the line. */
    const redraw = () => {
      blur();
      this.redraw();
      const field = draft.editing && this.files.get(draft.file)?.node.querySelector("textarea");
      (field || this.selection.current)?.focus();
    };
    return {
      save: (/** @type {Partial<Draft>} */ changes, isTyping = false) => {
        Object.assign(draft, changes);
        this.drafts.save();
        isTyping ? this.showDrafts() : redraw();
      },
      send: () => this.send([draft]),
      remove: () => {
        draft.editing = false;
        this.drafts.remove(draft);
        redraw();
      },
    };
  }

  /**
   * Send drafts to the agent, each only once; one that is refused stays and shows the reason.
   * @param {Draft[]} drafts
   */
  async send(drafts) {
    const wanted = drafts.filter((one) => one.text.trim() && !this.sending.has(one));
    let sent = 0;
    for (const draft of wanted) this.sending.add(draft);
    for (const draft of wanted) {
      try {
        await post("inbox/send_message", formatMessage(draft));
        this.drafts.remove(draft);
        sent += 1;
      } catch (problem) {
        draft.problem = problem;
      }
      this.sending.delete(draft);
    }
    blur();
    this.view.announce(`${pluralise(sent, "remark")} sent`);
    await this.loadRemarks();
    this.selection.current?.focus();
  }
}

/** @param {Thread} thread */
const lastOf = (thread) => thread.messages[thread.messages.length - 1];

/** Take the focus away, since an element that has it is not redrawn. */
function blur() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
