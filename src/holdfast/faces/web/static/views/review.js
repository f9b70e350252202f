// Review: what differs, file by file; remarks on its lines for the agent, and what became of them.

import { el, fill } from "../dom.js";
import { apiUrl, get, post } from "../api.js";
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

/** Show the view. */
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
      if (isIntersecting) this.near.unobserve(target), target.fileDiff.load();
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
    this.index = el("ul");
    this.list = el("div", { class: "stack" });
    this.rest = el("section", { class: "stack", "aria-label": "Remarks elsewhere" });
    this.trouble = el("div");
    this.head();
    view.main.append(this.trouble, el("div", { class: "review" }, el("nav", { "aria-label": "Files" }, this.index), el("div", { class: "stack" }, this.list, this.rest)));
    this.selection = new Selection(this, this.list);
    this.listen();
    await Promise.all([this.refresh(), this.remarks()]);
  }

  head() {
    const { what } = this.asked;
    const options = Object.entries(WHAT).map(([value, [text]]) => el("option", { value, selected: value === what }, text));
    const picker = el("select", { "aria-label": "What to review", on: { change: () => this.pick({ what: picker.value, revision: null, base: null }) } }, options);
    const fields = WHAT[what][1].map((name) => el("input", {
      "aria-label": FIELDS[name][0], placeholder: `${FIELDS[name][0]}: ${what === "range" && name === "base" ? "HEAD~3" : FIELDS[name][1]}`, value: this.view.query.get(name) ?? "",
      on: { change: (event) => this.pick({ [name]: event.target.value.trim() }) },
    }));
    this.layout = el("button", { class: "button layout", type: "button", "aria-pressed": String(this.split), on: { click: () => this.turn() } }, "Side by side");
    this.sendAll = el("button", { class: "button primary", type: "button", hidden: true, on: { click: () => this.sendDrafts() } });
    this.view.heading("Review", { json: apiUrl("source/read_diff", this.asked), tools: [this.sendAll, this.layout], filters: [picker, fields, this.summary] });
  }

  pick(changes) {
    this.view.setQuery(changes);
    this.view.go(location.href);
  }

  turn() {
    this.view.setQuery({ layout: this.view.query.get("layout") === "split" ? null : "split" });
    this.layout.setAttribute("aria-pressed", String(this.split));
    for (const file of this.files.values()) file.draw();
  }

  listen() {
    const { view } = this;
    view.on("inbox", () => this.remarks());
    const timer = setInterval(() => document.hidden || this.refresh(), EACH);
    view.signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh(), { signal: view.signal });
    matchMedia(WIDE).addEventListener("change", () => this.files.forEach((file) => file.draw()), { signal: view.signal });
    view.key("u", "Unified or side by side", () => this.turn());
  }

  /** Read what differs; where nothing changed since, nothing happens. */
  async refresh() {
    const { view } = this;
    try {
      const data = await get("source/read_diff", this.asked, { signal: view.signal });
      fill(this.trouble);
      if (data === this.data) return;
      this.data = data;
    } catch (problem) {
      return view.fail(this.trouble, problem);
    }
    const before = this.files;
    this.files = new Map(this.data.files.map((file) => {
      const known = before.get(file.path);
      return [file.path, known?.file.version === file.version ? known : this.fresh(file, known)];
    }));
    for (const [path, file] of before) if (this.files.get(path) !== file) file.node.remove();
    [...this.files.values()].forEach(({ node }, at) => this.list.children[at] === node || this.list.insertBefore(node, this.list.children[at] ?? null));
    if (!this.files.size) fill(this.list, empty(this.asked.what === "worktree" ? "Nothing has changed since the last commit. What an agent or you change shows up here." : "Nothing differs here."));
    else this.list.querySelector(":scope > .empty")?.remove();
    this.summarise();
    this.showRest();
  }

  /** Return a file that is new here or differs otherwise now; one that was open opens again. */
  fresh(file, known) {
    const shown = new FileDiff(this, file);
    if (known?.drawn && !shown.tick.checked) {
      shown.load(known.context).then(() => shown.node.classList.add("fresh"));
    }
    return shown;
  }

  whenNear(node) {
    this.near.observe(node);
  }

  summarise() {
    const files = [...this.files.values()];
    const sum = (name) => files.reduce((total, { file }) => total + (file[name] ?? 0), 0);
    const seen = files.filter(({ tick }) => tick.checked).length;
    const { total_files: total, subject, note } = this.data;
    fill(this.summary, subject && `“${subject}” · `, `${total} ${total === 1 ? "file" : "files"} `, counts({ added: sum("added"), removed: sum("removed") }), ` · ${seen} of ${files.length} seen`, note && ` · ${note}`);
    fill(this.index, files.map(({ file, tick, node }) => el("li", {}, el("button", { type: "button", class: "row", title: file.path, on: { click: () => this.jump(node) } },
      el("span", { class: "name" }, file.path.split("/").at(-1), el("span", { class: "quiet" }, ` ${file.path.split("/").slice(0, -1).join("/")}`)), counts(file), el("span", { class: "tick" }, tick.checked ? "✓" : ""), tick.checked && el("span", { class: "visually-hidden" }, "seen")))));
    this.showDrafts();
  }

  jump(node) {
    node.scrollIntoView({ block: "start" });
    this.selection.move(node.querySelector("tr.line"), false);
  }

  /** Read the remarks anew and show them at their lines. */
  async remarks() {
    try {
      const { messages } = await get("inbox/list_messages", { newest: true, limit: 200 }, { signal: this.view.signal });
      this.threads = threadsOf(messages).filter((thread) => !this.done.has(thread.messages.at(-1).id));
    } catch (problem) {
      return this.view.fail(this.trouble, problem);
    }
    this.redraw();
  }

  redraw() {
    for (const file of this.files.values()) file.showRemarks();
    this.showRest();
    this.showDrafts();
  }

  showRest() {
    if (!this.data || this.rest.contains(document.activeElement)) return;
    const others = this.threads.filter((thread) => !this.files.has(thread.file));
    const nodes = elsewhere(others.reverse(), (thread) => this.options(thread));
    const older = nodes.length > RECENT && el("details", {}, el("summary", {}, `${nodes.length - RECENT} older`), el("div", { class: "stack" }, nodes.slice(RECENT)));
    fill(this.rest, nodes.length ? el("h2", {}, "Remarks elsewhere") : null, nodes.slice(0, RECENT), older);
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
    const of = () => this.files.get(draft.file);
    return {
      save: (changes, quietly) => {
        Object.assign(draft, changes);
        this.drafts.save();
        if (quietly) return this.showDrafts();
        document.activeElement.blur();
        this.redraw();
        if (draft.editing) of()?.node.querySelector("textarea")?.focus();
        else this.selection.current?.focus();
      },
      send: () => this.send([draft]),
      remove: () => (document.activeElement.blur(), this.drafts.remove(draft), this.redraw(), this.selection.current?.focus()),
    };
  }

  sendDrafts() {
    return this.send(this.drafts.list.filter((draft) => draft.text.trim()));
  }

  /** Hand drafts over to the agent; one that is refused stays, with the reason. */
  async send(drafts) {
    let sent = 0;
    for (const draft of drafts.filter((one) => one.text.trim())) {
      try {
        await post("inbox/send_message", messageOf({ ...draft, text: draft.text.trim() }));
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
