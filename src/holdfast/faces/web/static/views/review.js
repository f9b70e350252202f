// Review: what differs, file by file; remarks on its lines for the agent, and what became of them.

import { apiUrl, get, post } from "../api.js";
import { arrange, button, choice, commitAddress, counted, el, empty, fade, fill, primary, quiet } from "../dom.js";
import { FileDiff, counts } from "./review/file.js";
import { elsewhere, messageOf, threadsOf } from "./review/remarks.js";
import { Selection } from "./review/selection.js";
import { DONE, Drafts, isMarked, setMark } from "../memory.js";

const EACH = 3000;
const RECENT = 5;
const EMPTY_TREE = /^(4b825dc642|6ef19b4122)/; // what git compares with before the first commit
const WIDE = "(min-width: 1000px)";
const WHAT = {
  worktree: ["All that is not committed"], unstaged: ["What is not staged"], staged: ["What is staged"],
  commit: ["A commit", "revision"], range: ["A range of commits", "base", "revision"], branch: ["This branch", "base"],
};
const FIELDS = { revision: ["Commit", "HEAD"], base: ["From", "main"] };

export async function show(view) {
  const repository = await get("tasks/taskpilot_workspaces", {}, view).catch(() => ({}));
  await new Review(view, repository.workspaces?.[0]?.name ?? "").begin();
}

class Review {
  constructor(view, repository) {
    Object.assign(this, { view, files: new Map(), threads: [], data: null, sending: new Set() });
    this.drafts = new Drafts(repository);
    this.near = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
      if (isIntersecting) target.fileDiff.load();
    }), { root: view.main, rootMargin: "600px" });
    view.signal.addEventListener("abort", () => this.near.disconnect());
  }

  get asked() {
    const what = WHAT[this.view.query.get("what")] ? this.view.query.get("what") : "worktree";
    const [, ...fields] = WHAT[what];
    return { what, ...Object.fromEntries(fields.map((name) => [name, this.view.query.get(name)])) };
  }

  get split() {
    return this.view.query.get("layout") === "split" && matchMedia(WIDE).matches;
  }

  async begin() {
    const { view } = this;
    this.summary = el("span.quiet", { role: "status" });
    this.index = el("ul.plain-list");
    this.list = el("div.stack");
    this.rest = el("section.stack", { "aria-label": "Remarks elsewhere" });
    this.trouble = el("div");
    this.head();
    view.main.append(this.trouble, el("div.review",
      el("nav", { "aria-label": "Files" }, this.index), el("div.stack", this.list, this.rest)));
    this.selection = new Selection(this, this.list);
    view.on("inbox", () => this.remarks());
    const shared = ({ key }) => key === this.drafts.name && (this.drafts.renew(), this.redraw());
    addEventListener("storage", shared, { signal: view.signal });
    view.every(EACH, () => this.refresh());
    view.key("u", "Unified or side by side", () => this.turn());
    matchMedia(WIDE).addEventListener("change", () => this.draw(), { signal: view.signal });
    await Promise.all([this.refresh(), this.remarks()]);
  }

  head() {
    const { what } = this.asked;
    const pick = (changes) => (this.view.setQuery(changes), this.view.go(location.href));
    const options = Object.entries(WHAT).map(([value, [text]]) => [value, text]);
    const choose = (value) => pick({ what: value, revision: null, base: null });
    const fields = WHAT[what].slice(1).map((name) => {
      const [label, example] = what === "range" && name === "base" ? ["From", "HEAD~3"] : FIELDS[name];
      const change = (event) => pick({ [name]: event.target.value.trim() });
      const value = this.view.query.get(name) ?? "";
      return el("input", { "aria-label": label, placeholder: `${label}: ${example}`, value, on: { change } });
    });
    this.layout = button("Side by side", () => this.turn(), { class: "button layout", "aria-pressed": this.split });
    this.sendAll = primary("", () => this.send(this.drafts.list), { hidden: true });
    this.view.heading("Review", {
      json: apiUrl("source/read_diff", this.asked),
      tools: [this.sendAll, this.layout],
      filters: [choice("What to review", options, what, choose), fields, this.summary],
    });
  }

  turn() {
    this.view.setQuery({ layout: this.view.query.get("layout") === "split" ? null : "split" });
    this.draw();
  }

  draw() {
    this.layout.ariaPressed = this.split;
    this.files.forEach((file) => file.draw());
  }

  /** Read what differs; where nothing changed since, nothing happens. */
  refresh() {
    return this.view.attempt(this.trouble, async () => {
      const data = await get("source/read_diff", this.asked, this.view);
      fill(this.trouble);
      const before = this.files, isShown = ({ path, version }) => before.get(path)?.file.version === version;
      if (data === this.data && data.files.every(isShown)) return;
      this.data = data;
      this.files = new Map(data.files.map((file) => {
        const known = before.get(file.path);
        const stays = isShown(file) || known?.written.length; // where somebody writes, lines change when they are done
        return [file.path, stays ? known : this.fresh(file, known)];
      }));
      arrange(this.list, this.files.size ? [...this.files.values()].map(({ node }) => node) : [this.nothing()]);
      this.summarise();
      this.showRest();
    });
  }

  nothing() {
    const later = "What an agent or you change shows up here.";
    if (this.asked.what !== "worktree") return empty("Nothing differs here.");
    if (EMPTY_TREE.test(this.data.old)) return empty(`Nothing is committed yet. ${later}`);
    return empty(`Nothing has changed since the last commit. ${later}`,
      el("a.button", { href: commitAddress("HEAD") }, "See the last commit"));
  }

  /** Return a file that is new here or differs otherwise now; one that was open opens again. */
  fresh(file, known) {
    const shown = new FileDiff(this, file);
    if (known?.drawn && !shown.tick.checked) shown.load(known.context).then(() => fade(shown.node));
    return shown;
  }

  summarise() {
    const files = [...this.files.values()];
    const sum = (name) => files.reduce((total, { file }) => total + (file[name] ?? 0), 0);
    const seen = files.filter(({ tick }) => tick.checked).length;
    const { total_files: total, subject, note } = this.data;
    const changes = [counts({ added: sum("added"), removed: sum("removed") }), ` · ${seen} of ${files.length} seen`];
    const words = `${subject ? `“${subject}” · ` : ""}${counted(total, "file")} `;
    fill(this.summary, words, total > 0 && changes, note && ` · ${note}`);
    fill(this.index, files.map((file) => el("li", this.entry(file))));
    this.showDrafts();
  }

  entry({ file, tick, node }) {
    const [, folder, name] = file.path.match(/^(?:(.*)\/)?(.*)$/s);
    const jump = () => (node.scrollIntoView({ block: "start" }), this.selection.move(node.querySelector("tr.line")));
    return button([el("span.one-line", name, quiet(` ${folder ?? ""}`)), counts(file),
      el("span.tick", tick.checked && "✓"), tick.checked && el("span.visually-hidden", "seen")],
    jump, { class: "button plain", title: file.path });
  }

  remarks() {
    return this.view.attempt(this.trouble, async () => {
      const { messages } = await get("inbox/list_messages", { newest: true, limit: 200 }, this.view);
      this.threads = threadsOf(messages).filter((thread) => !isMarked(DONE, thread.messages.at(-1).id));
      this.redraw();
    });
  }

  redraw() {
    for (const file of this.files.values()) file.showRemarks();
    this.showRest();
    this.showDrafts();
  }

  showRest() {
    if (!this.data || this.rest.contains(document.activeElement) || this.rest.querySelector("form")) return;
    const others = this.threads.filter((thread) => !this.files.has(thread.file)).reverse();
    const nodes = others.map((thread) => elsewhere(thread, this.options(thread)));
    const older = nodes.splice(RECENT);
    fill(this.rest, nodes.length > 0 && el("h2", "Remarks elsewhere"), nodes,
      older.length > 0 && el("details", el("summary", `${older.length} older`), el("div.stack", older)));
  }

  options(thread) {
    return { view: this.view, done: () => (setMark(DONE, thread.messages.at(-1).id), this.remarks()) };
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

  /** Hand drafts over to the agent; one that is refused stays, with the reason, and none is sent twice. */
  async send(drafts) {
    const wanted = drafts.filter((one) => one.text.trim() && !this.sending.has(one));
    let sent = 0;
    for (const draft of wanted) this.sending.add(draft);
    for (const draft of wanted) {
      try {
        await post("inbox/send_message", messageOf(draft));
        this.drafts.remove(draft);
        sent += 1;
      } catch (problem) {
        draft.problem = problem;
      }
      this.sending.delete(draft);
    }
    document.activeElement.blur();
    this.view.announce(`${counted(sent, "remark")} sent`);
    await this.remarks();
    this.selection.current?.focus();
  }
}
