// Review: what differs, file by file; remarks on its lines for the agent, and what became of them.

import { apiUrl, get, post } from "../api.js";
import { button, choice, commitAddress, quiet } from "../controls.js";
import { el, fill } from "../dom.js";
import { empty } from "../view.js";
import { FileDiff, counts } from "./review/file.js";
import { elsewhere, messageOf, threadsOf } from "./review/remarks.js";
import { Selection } from "./review/selection.js";
import { Drafts, Marks } from "./review/seen.js";

const EACH = 3000;
const RECENT = 5;
const WIDE = "(min-width: 1000px)";
const WHAT = {
  worktree: ["All that is not committed", []], unstaged: ["What is not staged", []], staged: ["What is staged", []],
  commit: ["A commit", ["revision"]], range: ["A range of commits", ["base", "revision"]], branch: ["This branch", ["base"]],
};
const FIELDS = { revision: ["Commit", "HEAD"], base: ["From", "main"] };

export async function show(view) {
  const repository = await get("tasks/taskpilot_workspaces", {}, { signal: view.signal }).catch(() => ({}));
  await new Review(view, repository.workspaces?.[0]?.name ?? "").begin();
}

class Review {
  constructor(view, repository) {
    Object.assign(this, { view, files: new Map(), threads: [], data: null });
    this.seen = new Marks("review seen");
    this.done = new Marks("review done");
    this.drafts = new Drafts(repository);
    this.near = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
      if (!isIntersecting) return;
      this.near.unobserve(target);
      target.fileDiff.load();
    }), { root: view.main, rootMargin: "600px" });
    view.signal.addEventListener("abort", () => this.near.disconnect());
  }

  get asked() {
    const what = WHAT[this.view.query.get("what")] ? this.view.query.get("what") : "worktree";
    const fields = WHAT[what][1].map((name) => [name, this.view.query.get(name)]);
    return { what, ...Object.fromEntries(fields) };
  }

  get split() {
    return this.view.query.get("layout") === "split" && matchMedia(WIDE).matches;
  }

  async begin() {
    const { view } = this;
    this.summary = el("span", { class: "quiet", role: "status" });
    this.index = el("ul", { class: "plain-list" });
    this.list = el("div", { class: "stack" });
    this.rest = el("section", { class: "stack", "aria-label": "Remarks elsewhere" });
    this.trouble = el("div");
    this.head();
    view.main.append(this.trouble, el("div", { class: "review" },
      el("nav", { "aria-label": "Files" }, this.index), el("div", { class: "stack" }, this.list, this.rest)));
    this.selection = new Selection(this, this.list);
    view.on("inbox", () => this.remarks());
    view.every(EACH, () => this.refresh());
    view.key("u", "Unified or side by side", () => this.turn());
    matchMedia(WIDE).addEventListener("change", () => this.draw(), { signal: view.signal });
    await Promise.all([this.refresh(), this.remarks()]);
  }

  head() {
    const { what } = this.asked;
    const pick = (changes) => (this.view.setQuery(changes), this.view.go(location.href));
    const options = Object.entries(WHAT).map(([value, [text]]) => [value, text]);
    const picker = choice("What to review", options, what, (value) => pick({ what: value, revision: null, base: null }));
    const fields = WHAT[what][1].map((name) => {
      const [label, example] = what === "range" && name === "base" ? ["From", "HEAD~3"] : FIELDS[name];
      const change = (event) => pick({ [name]: event.target.value.trim() });
      return el("input", { "aria-label": label, placeholder: `${label}: ${example}`, value: this.view.query.get(name) ?? "", on: { change } });
    });
    this.layout = button("Side by side", () => this.turn(), { class: "button layout", "aria-pressed": String(this.split) });
    this.sendAll = button("", () => this.send(this.drafts.list), { class: "button primary", hidden: true });
    const tools = [this.sendAll, this.layout];
    this.view.heading("Review", { json: apiUrl("source/read_diff", this.asked), tools, filters: [picker, fields, this.summary] });
  }

  turn() {
    this.view.setQuery({ layout: this.view.query.get("layout") === "split" ? null : "split" });
    this.draw();
  }

  draw() {
    this.layout.setAttribute("aria-pressed", String(this.split));
    this.files.forEach((file) => file.draw());
  }

  /** Read what differs; where nothing changed since, nothing happens. */
  refresh() {
    return this.view.attempt(this.trouble, async () => {
      const data = await get("source/read_diff", this.asked, { signal: this.view.signal });
      fill(this.trouble);
      if (data === this.data) return;
      const before = this.files;
      this.data = data;
      this.files = new Map(data.files.map((file) => {
        const known = before.get(file.path);
        return [file.path, known?.file.version === file.version ? known : this.fresh(file, known)];
      }));
      this.arrange();
      this.summarise();
      this.showRest();
    });
  }

  /** Put the files in their order without touching one that stays: somebody may be writing in it. */
  arrange() {
    const nothing = () => (this.asked.what === "worktree"
      ? empty("Nothing has changed since the last commit. What an agent or you change shows up here.",
        el("a", { class: "button", href: commitAddress("HEAD") }, "See the last commit")) : empty("Nothing differs here."));
    const wanted = this.files.size ? [...this.files.values()].map(({ node }) => node) : [nothing()];
    for (const node of [...this.list.children]) if (!wanted.includes(node)) node.remove();
    wanted.forEach((node, at) => this.list.children[at] === node || this.list.insertBefore(node, this.list.children[at] ?? null));
  }

  /** Return a file that is new here or differs otherwise now; one that was open opens again. */
  fresh(file, known) {
    const shown = new FileDiff(this, file);
    if (known?.drawn && !shown.tick.checked) shown.load(known.context).then(() => shown.node.classList.add("fresh"));
    return shown;
  }

  summarise() {
    const files = [...this.files.values()];
    const sum = (name) => files.reduce((total, { file }) => total + (file[name] ?? 0), 0);
    const seen = files.filter(({ tick }) => tick.checked).length;
    const { total_files: total, subject, note } = this.data;
    fill(this.summary, subject && `“${subject}” · `, `${total} ${total === 1 ? "file" : "files"} `,
      total > 0 && [counts({ added: sum("added"), removed: sum("removed") }), ` · ${seen} of ${files.length} seen`], note && ` · ${note}`);
    fill(this.index, files.map((file) => el("li", {}, this.entry(file))));
    this.showDrafts();
  }

  entry({ file, tick, node }) {
    const [, folder, name] = file.path.match(/^(?:(.*)\/)?(.*)$/s);
    const jump = () => (node.scrollIntoView({ block: "start" }), this.selection.move(node.querySelector("tr.line")));
    return button([el("span", { class: "one-line" }, name, quiet(` ${folder ?? ""}`)), counts(file),
      el("span", { class: "tick" }, tick.checked && "✓"), tick.checked && el("span", { class: "visually-hidden" }, "seen")],
    jump, { class: "row", title: file.path });
  }

  /** Read the remarks anew and show them at their lines. */
  remarks() {
    return this.view.attempt(this.trouble, async () => {
      const { messages } = await get("inbox/list_messages", { newest: true, limit: 200 }, { signal: this.view.signal });
      this.threads = threadsOf(messages).filter((thread) => !this.done.has(thread.messages.at(-1).id));
      this.redraw();
    });
  }

  redraw() {
    for (const file of this.files.values()) file.showRemarks();
    this.showRest();
    this.showDrafts();
  }

  showRest() {
    if (!this.data || this.rest.contains(document.activeElement)) return;
    const others = this.threads.filter((thread) => !this.files.has(thread.file)).reverse();
    const nodes = others.map((thread) => elsewhere(thread, this.options(thread)));
    const older = nodes.splice(RECENT);
    fill(this.rest, nodes.length > 0 && el("h2", {}, "Remarks elsewhere"), nodes,
      older.length > 0 && el("details", {}, el("summary", {}, `${older.length} older`), el("div", { class: "stack" }, older)));
  }

  options(thread) {
    return { view: this.view, done: () => (this.done.set(thread.messages.at(-1).id, true), this.remarks()) };
  }

  showDrafts() {
    const waiting = this.drafts.list.filter((draft) => draft.text.trim());
    this.sendAll.hidden = waiting.length === 0;
    fill(this.sendAll, `Send all (${waiting.length})`);
  }

  draftOptions(draft) {
    /** Draw the drafts anew, and give the focus to what is written or else to the line. */
    const settle = () => {
      document.activeElement.blur();
      this.redraw();
      const field = draft.editing && this.files.get(draft.file)?.node.querySelector("textarea");
      (field || this.selection.current)?.focus();
    };
    return {
      save: (changes, quietly) => {
        Object.assign(draft, changes);
        this.drafts.save();
        quietly ? this.showDrafts() : settle();
      },
      send: () => this.send([draft]),
      remove: () => {
        draft.editing = false;
        this.drafts.remove(draft);
        settle();
      },
    };
  }

  /** Hand drafts over to the agent; one that is refused stays, with the reason. */
  async send(drafts) {
    let sent = 0;
    for (const draft of drafts.filter((one) => one.text.trim())) {
      try {
        await post("inbox/send_message", messageOf(draft));
        this.drafts.remove(draft);
        sent += 1;
      } catch (problem) {
        draft.problem = problem;
      }
    }
    document.activeElement.blur();
    this.view.announce(`${sent} ${sent === 1 ? "remark" : "remarks"} sent`);
    await this.remarks();
    this.selection.current?.focus();
  }
}
