// The Review view: a diff, remarks on its lines for the agent, and the agent's answers.

import { apiUrl, get, post, repositoryName } from "../api.js";
import { button, choice, plainButton, primaryButton } from "../controls.js";
import { pluralise, emptyState } from "../display.js";
import { arrange, el, fill, highlight } from "../dom.js";
import { commitAddress } from "../links.js";
import { DONE_REMARKS, SEEN_FILES, isMarked, loadList, setMark } from "../storage.js";
import { validChoice } from "../view.js";
import { Drafts } from "./review/drafts.js";
import { FileDiff, changeCounts, isOwn } from "./review/file.js";
import { Outside } from "./review/outside.js";
import { Remaining } from "./review/remaining.js";
import { REPOSITORY, anchorFrom, findRemark, formatMessage, groupThreads, lastMessage } from "./review/remarks.js";
import { Selection } from "./review/selection.js";
import { SUBJECTS } from "./review/subjects.js";
import { FileTree } from "./review/tree.js";

/** @import { View } from "../view.js" */
/** @import { Draft, DraftOptions } from "./review/drafts.js" */
/** @import { Row, Thread } from "./review/remarks.js" */

/** The most files that the server lists. */
const MAX_FILES = 10_000;
/** The number of files that are shown before the lines in view; a judgement: more than a screen has. */
const FIRST_FILES = 20;
/** The distance at which lines are removed again; a judgement: a few screens, so that short ways back need nothing. */
const FAR_PX = 4000;
/** The longest wait for the lines in view before all are counted; a judgement: they usually take far less. */
const MAX_WAIT_MS = 2000;
/** The id of git's empty tree, in SHA-1 or SHA-256. Before the first commit, the diff is against it. */
const EMPTY_TREE = /^(4b825dc642|6ef19b4122)/;
/** Wide enough for old and new lines side by side. */
const WIDE = "(min-width: 1000px)";
/** The number of messages that are loaded; a judgement: older remarks are rarely still discussed. */
const MAX_MESSAGES = 200;
/** The digits of commit ids in remarks: unique in all but huge repositories. */
const COMMIT_ID_DIGITS = 10;

/** @param {View} view */
export async function show(view) {
  await new Review(view, await repositoryName()).start();
}

/** The state of the view: the diff, the threads and the drafts. */
export class Review {
  /**
   * @param {View} view
   * @param {string} repository
   */
  constructor(view, repository) {
    this.view = view;
    /** @type {Map<string, FileDiff>} by path */
    this.files = new Map();
    /** @type {Thread[]} the threads that the user has not marked as done */
    this.threads = [];
    /** @type {any} the current diff, as `read_diff` returns it */
    this.diff = null;
    /** Whether lines that changed are not shown because the user was writing. */
    this.isBehind = false;
    /** @type {() => Promise<void>} loads the diff again */
    this.update = async () => {};
    /** @type {number | null} the number of files to list; null for the server's default */
    this.limit = null;
    /** @type {Set<string>} the versions of files that the user has marked as seen */
    this.seen = new Set();
    /** @type {Set<Draft>} drafts that are being sent */
    this.sending = new Set();
    this.summary = el("span.quiet", { role: "status" });
    this.tree = new FileTree(({ node }) => {
      node.scrollIntoView({ block: "start" });
      this.selection.move(node.querySelector("tr.line"));
    });
    this.list = el("div.stack");
    this.outside = new Outside(this);
    this.errorPlace = el("div");
    this.layoutButton = button("Side by side", () => this.toggleLayout(), { class: "button layout" });
    this.sendAllButton = primaryButton("", () => this.send(this.drafts.collected), { hidden: true });
    this.selection = new Selection(this, this.list);
    this.remaining = new Remaining(this, this.sendAllButton);
    this.drafts = new Drafts(repository);
    /** Loads files when they are scrolled near. */
    this.visibility = new IntersectionObserver((entries) => {
      const near = entries.filter(({ isIntersecting }) => isIntersecting);
      Promise.all(near.map(({ target }) => FileDiff.of(target)?.loadUnlessLong())).then(() => this.showedLines());
    }, { root: view.main, rootMargin: "600px" });
    /** Removes the lines of files that are scrolled far away, so that the document stays small. */
    this.distance = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target, boundingClientRect: { height } } of entries) {
        if (!isIntersecting) FileDiff.of(target)?.unload(height);
      }
    }, { root: view.main, rootMargin: `${FAR_PX}px` });
    /** @type {() => void} called when the lines of the first files are shown */
    this.showedLines = () => {};
    /** @type {Promise<void>} */
    this.firstLines = new Promise((resolve) => {
      this.showedLines = resolve;
      view.signal.addEventListener("abort", () => resolve());
    });
    view.signal.addEventListener("abort", () => [this.visibility, this.distance].forEach((one) => one.disconnect()));
  }

  /** The subject of the review, as arguments of the operation. */
  get query() {
    const { query } = this.view;
    const what = validChoice(query.get("what"), SUBJECTS, "worktree");
    return { what, ...Object.fromEntries(SUBJECTS[what].fields.map(({ name }) => [name, query.get(name)])) };
  }

  /** Whether old and new lines are side by side. */
  get isSplit() {
    return this.view.query.get("layout") === "split" && matchMedia(WIDE).matches;
  }

  async start() {
    const { view } = this;
    this.showHeading();
    view.main.append(this.errorPlace, this.remaining.node, el("div.review",
      this.tree.node, el("div.stack", this.outside.summaries, this.list, this.outside.elsewhere)));
    view.on("inbox", () => this.loadRemarks());
    addEventListener("storage", ({ key }) => {
      if (key !== this.drafts.name) return;
      this.drafts.reload(); // another window changed the drafts
      this.redraw();
    }, { signal: view.signal });
    this.update = view.onSource(() => this.refresh());
    this.list.addEventListener("focusout", () => this.catchUp());
    view.addKey("u", "Unified or side by side", () => this.toggleLayout());
    matchMedia(WIDE).addEventListener("change", () => this.draw(), { signal: view.signal });
    await Promise.all([this.update(), this.loadRemarks()]);
  }

  showHeading() {
    const { what } = this.query;
    const changeQuery = (/** @type {Record<string, string | null>} */ changes) => {
      this.view.setQuery(changes);
      this.view.go(location.href);
    };
    /** @type {[string, string][]} */
    const options = Object.entries(SUBJECTS).map(([value, { title }]) => [value, title]);
    const choose = (/** @type {string} */ value) => changeQuery({ what: value, revision: null, base: null });
    const fields = SUBJECTS[what].fields.map(({ name, label, example }) => {
      const change = (/** @type {any} */ { target }) => changeQuery({ [name]: target.value.trim() });
      const value = this.view.query.get(name) ?? "";
      return el("input", { "aria-label": label, placeholder: `${label}: ${example}`, value, on: { change } });
    });
    this.layoutButton.ariaPressed = String(this.isSplit);
    this.view.setHeading("Review", {
      json: apiUrl("source/read_diff", this.query),
      tools: [this.layoutButton],
      filters: [choice("What to review", options, what, choose), fields, this.summary],
    });
  }

  toggleLayout() {
    this.view.setQuery({ layout: this.view.query.get("layout") === "split" ? null : "split" });
    this.draw();
  }

  /** Draw all files in the chosen layout. */
  draw() {
    this.layoutButton.ariaPressed = String(this.isSplit);
    this.files.forEach((file) => file.draw());
  }

  /**
   * Load the diff and draw the files that have changed. The first time, the files are shown before their lines have
   * been counted and searched for moved blocks, because that takes long when much differs; the lines that are in view
   * come before that, and before the files below them, too.
   */
  refresh() {
    return this.view.attempt(this.errorPlace, async () => {
      if (!this.diff) {
        const diff = await get("source/read_diff", { ...this.query, quick: true }, this.view);
        this.showDiff(diff, FIRST_FILES);
        const isAwaited = [...this.files.values()].some(({ isObserved }) => isObserved);
        if (isAwaited) await Promise.race([this.firstLines, pause(MAX_WAIT_MS)]);
        this.showDiff(diff);
      }
      this.showDiff(await get("source/read_diff", { ...this.query, limit: this.limit }, this.view));
    });
  }

  /** Whether the lines of the current diff have not been counted and searched for moved blocks. */
  get isQuick() {
    return this.diff?.total_added === null;
  }

  /**
   * @param {any} diff as `read_diff` returns it
   * @param {number} limit the number of files to show
   */
  showDiff(diff, limit = Infinity) {
    fill(this.errorPlace);
    const previous = this.files;
    const isCurrent = (/** @type {any} */ { path, version }) => previous.get(path)?.file.version === version;
    if (diff === this.diff && diff.files.every(isCurrent)) return;
    this.diff = diff;
    this.seen = new Set(loadList(SEEN_FILES));
    // Files of Holdfast itself come last.
    const ordered = [false, true].flatMap((own) => diff.files.filter(({ path }) => isOwn(path) === own));
    this.isBehind = false;
    this.files = new Map(ordered.slice(0, limit).map((/** @type {any} */ file) => {
      const shown = previous.get(file.path);
      if (shown && isCurrent(file)) shown.update(file);
      const isKept = isCurrent(file) || shown?.openRemarks.length; // lines do not change while the user writes
      if (isKept && !isCurrent(file)) this.isBehind = true;
      return [file.path, shown && isKept ? shown : this.createFile(file, shown)];
    }));
    const nodes = [...this.files.values()].map(({ node }) => node);
    arrange(this.list, nodes.length ? nodes : [this.emptyMessage()]);
    this.showSummary();
    this.outside.show();
  }

  /** Return the empty state of a review without differences. */
  emptyMessage() {
    const purpose = "Changes by agents and by you are shown here.";
    if (this.query.what !== "worktree") return emptyState("review", "There are no differences.",
      el("a.button", { href: "/review" }, "See uncommitted changes"));
    if (EMPTY_TREE.test(this.diff.old)) return emptyState("review", `Nothing has been committed yet. ${purpose}`,
      el("a.button", { href: "/code" }, "See the files"));
    return emptyState("review", `Nothing has changed since the last commit. ${purpose}`,
      el("a.button", { href: commitAddress("HEAD") }, "See the last commit"));
  }

  /**
   * Return a file that is new or has changed. If the lines of its previous version were shown, load the new ones.
   * @param {any} file
   * @param {FileDiff | undefined} previous
   */
  createFile(file, previous) {
    const diff = new FileDiff(this, file);
    if (previous?.content && !diff.seenBox.checked) diff.loadLike(previous).then(() => highlight(diff.node));
    return diff;
  }

  /** Show the totals, the list of files and what is left to review. */
  showSummary() {
    const { total_files: total, total_added: added, total_removed: removed, uncounted_files: uncounted } = this.diff;
    const { subject, files } = this.diff;
    const listAll = plainButton("List all", () => {
      this.limit = MAX_FILES;
      return this.refresh();
    });
    const omitted = files.length < total && !this.limit && [` · the first ${files.length} are listed`, listAll];
    const left = uncounted > 0 && ` without ${pluralise(uncounted, "file")} that cannot be counted`;
    const changes = [changeCounts({ added, removed }), left];
    const text = `${subject ? `“${subject}” · ` : ""}${pluralise(total, "file")} `;
    fill(this.summary, text, total > 0 && !this.isQuick && changes, omitted);
    this.tree.show([...this.files.values()]);
    this.showRemaining();
  }

  loadRemarks() {
    return this.view.attempt(this.errorPlace, async () => {
      const { messages } = await get("inbox/list_messages", { newest: true, limit: MAX_MESSAGES }, this.view);
      this.threads = groupThreads(messages).filter((thread) => !isMarked(DONE_REMARKS, lastMessage(thread).id));
      this.redraw();
    });
  }

  /** Show the lines that changed while the user wrote, unless the user still does. */
  catchUp() {
    if (this.isBehind) this.update();
  }

  /** Draw the remarks and drafts again. */
  redraw() {
    this.catchUp();
    for (const file of this.files.values()) file.showRemarks();
    this.outside.show();
    this.showRemaining();
  }

  /** The name of the diff in the text of a remark. */
  get where() {
    const shorten = (/** @type {string | null} */ id) => (id ?? "").slice(0, COMMIT_ID_DIGITS);
    return SUBJECTS[this.query.what].name(shorten(this.diff.old), shorten(this.diff.new));
  }

  /**
   * Return whether a thread or draft is on a file of the diff, or the summary of this review.
   * @param {Thread | Draft} remark
   */
  isHere = ({ file, where }) => {
    if (file !== REPOSITORY) return this.files.has(file);
    return this.diff !== null && where === this.where;
  };

  /** @param {Thread} thread */
  threadOptions(thread) {
    const reload = () => this.loadRemarks();
    const markDone = () => {
      setMark(DONE_REMARKS, lastMessage(thread).id);
      reload();
    };
    const refresh = () => Promise.all([this.refresh(), reload()]);
    return { view: this.view, reload, refresh, markDone };
  }

  /** Edit the summary of this review. */
  writeSummary() {
    const draft = this.drafts.list.find((one) => one.file === REPOSITORY && this.isHere(one));
    if (draft) this.draftOptions(draft).save({ editing: true });
    else this.addDraft(REPOSITORY, []);
  }

  /**
   * Add an empty draft on lines of a file, or on all of it, and start editing it.
   * @param {string} path
   * @param {Row[]} rows
   */
  addDraft(path, rows) {
    this.files.get(path)?.node.classList.remove("folded");
    // The key identifies the draft in other windows.
    const draft = { ...anchorFrom(path, rows, this.where), key: Math.random(), text: "", editing: true };
    this.drafts.save([...this.drafts.list, draft]);
    this.draftOptions(draft).save({});
  }

  /** Show what is left to review, and the number of drafts on the button that sends them. */
  showRemaining() {
    const { length } = this.drafts.collected;
    this.sendAllButton.hidden = length === 0;
    fill(this.sendAllButton, `Send ${pluralise(length, "remark")}`);
    this.remaining.show();
  }

  /**
   * @param {Draft} draft
   * @returns {DraftOptions}
   */
  draftOptions(draft) {
    /** Draw the drafts again; the field of the draft gets the focus, or else the current line. */
    const redraw = () => {
      blur();
      this.redraw();
      const field = draft.editing && findRemark(this.view.main, draft.key)?.querySelector("textarea");
      if (field) field.closest(".remark")?.scrollIntoView({ block: "nearest" });
      (field || this.selection.current)?.focus();
    };
    return {
      isReview: this.drafts.collected.length > 0,
      save: (/** @type {Partial<Draft>} */ changes, isTyping = false) => {
        Object.assign(draft, changes);
        this.drafts.save();
        if (isTyping) this.showRemaining();
        else redraw();
      },
      send: () => this.send([draft]),
      remove: () => {
        this.remaining.offerUndo(draft.text.trim() ? { ...draft } : null);
        draft.editing = false;
        this.drafts.remove(draft);
        redraw();
      },
    };
  }

  /**
   * Send drafts to the agent, each only once. A draft that is refused stays and shows the reason; if the server does
   * not respond, the others stay, too.
   * @param {Draft[]} drafts
   */
  async send(drafts) {
    const isRest = (/** @type {Draft} */ { file }) => Number(file !== REPOSITORY); // the summary introduces the others
    const batch = drafts.filter((draft) => draft.text.trim() && !this.sending.has(draft))
      .sort((one, other) => isRest(one) - isRest(other));
    let sentCount = 0;
    for (const draft of batch) this.sending.add(draft);
    for (const draft of batch) {
      try {
        await post("inbox/send_message", { ...formatMessage(draft), anyway: true });
        this.drafts.remove(draft);
        sentCount += 1;
      } catch (problem) {
        draft.problem = problem;
        if (problem.status === 0) break;
      }
    }
    for (const draft of batch) this.sending.delete(draft);
    blur();
    const kept = batch.length - sentCount;
    this.view.announce(`${pluralise(sentCount, "remark")} sent${kept ? `, ${kept} kept` : ""}`);
    await this.loadRemarks();
    this.selection.current?.focus();
  }
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => {
  setTimeout(resolve, milliseconds);
});

/** Remove the focus, because an element that contains it is not redrawn. */
function blur() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
