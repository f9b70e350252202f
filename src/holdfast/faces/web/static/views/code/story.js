// The panel below the code: the history of a file or of lines, where symbols are defined and used, and why lines exist.

import { get } from "../../api.js";
import { button, plainButton } from "../../controls.js";
import { pluralise, quiet } from "../../display.js";
import { el, fill } from "../../dom.js";
import { icon } from "../../icons.js";
import { codeAddress, codeLink, commitAddress } from "../../links.js";
import { markdown } from "../../markdown.js";
import { person } from "../../people.js";
import { address } from "../../router.js";
import { ago } from "../../time.js";
import { findReasons } from "./reasons.js";
import { findUses } from "./uses.js";

/** @import { View } from "../../view.js" */
/** @import { Note } from "./notes.js" */
/** @import { CodeSymbol, Outline } from "./outline.js" */
/** @import { Lines, Range } from "./lines.js" */
/** @import { Use } from "./uses.js" */

/**
 * A commit as `read_history` returns it.
 * @typedef {{commit: string, author: string, time: string, subject: string, body: string, file: string | null}} Commit
 */

/** The number of commits that are loaded at first; a judgement: about a screen. */
const COMMITS_AT_FIRST = 20;
/** The maximum that the server accepts as `limit`. */
const MAX_COMMITS = 200;
/** The text of each certainty of the dependency graph. */
const CERTAINTY_TEXTS = { exact: "exact", likely: "likely", guess: "a guess, by its name" };

/** @param {Range} range */
export const linesText = ({ first, last }) => (first === last ? `line ${first}` : `lines ${first}–${last}`);

/** The panel with what is known about a file or some of its lines. */
export class Story {
  /**
   * @param {View} view
   * @param {string} path
   * @param {Lines} lines
   * @param {Outline} outline
   * @param {() => Note[]} notes returns the notes of the file
   */
  constructor(view, path, lines, outline, notes) {
    this.view = view;
    this.path = path;
    this.lines = lines;
    this.outline = outline;
    this.notes = notes;
    this.node = el("section.story.card", { hidden: true });
  }

  /** Close the panel; return whether it was open. */
  close() {
    const wasOpen = !this.node.hidden;
    this.node.hidden = true;
    fill(this.node);
    return wasOpen;
  }

  /**
   * Open the panel and fill it.
   * @param {string} title
   * @param {string} activity
   * @param {(place: HTMLElement) => Promise<any>} load
   */
  async open(title, activity, load) {
    const place = el("div.stack");
    const label = { "aria-label": "Close the panel" };
    const close = plainButton(icon("close"), () => this.close() && this.lines.box.focus(), label);
    const heading = el("h2", { tabindex: "-1" }, title);
    this.node.hidden = false;
    this.node.ariaLabel = title;
    fill(this.node, el("header.row.spread", heading, close), place);
    heading.focus({ preventScroll: true });
    await this.view.runWithStatus(place, activity, () => load(place));
    this.node.scrollIntoView({ block: "nearest" });
  }

  /**
   * Show the commits that changed the file or, with a range, these lines of it.
   * @param {Range | null} range
   * @param {string} [title]
   */
  showHistory(range, title = `History of ${range ? linesText(range) : "the file"}`) {
    const load = async (/** @type {HTMLElement} */ place, limit = COMMITS_AT_FIRST) => {
      const { commits, has_more: hasMore } = await this.requestHistory(range, limit);
      const more = () => load(place, MAX_COMMITS);
      fill(place, this.otherHistories(range), drawCommits(commits) ?? quiet("Not committed yet."),
        hasMore && (limit < MAX_COMMITS ? el("div", button("Show older commits", more))
          : quiet(`The newest ${MAX_COMMITS} commits.`)));
    };
    return this.open(title, "Reading the history", load);
  }

  /**
   * @param {Range | null} range
   * @param {number} limit
   */
  requestHistory(range, limit) {
    const { first: start, last: end } = range ?? {};
    return get("source/read_history", { ...this.lines.query, start, end, limit }, this.view);
  }

  /**
   * Return buttons for the histories of the function around the lines and of the file.
   * @param {Range | null} range
   */
  otherHistories(range) {
    if (!range) return null;
    const symbol = this.outline.symbolAt(range.first);
    const ofSymbol = symbol && { first: symbol.start_line, last: symbol.end_line };
    const isSymbol = ofSymbol?.first === range.first && ofSymbol.last === range.last;
    return el("div.row.wrap",
      symbol && !isSymbol && button(`History of ${symbol.path}`, () =>
        this.showHistory(ofSymbol, `History of ${symbol.path}`)),
      button("History of the file", () => this.showHistory(null)));
  }

  /**
   * Go to the lines as the last commit has them.
   * @param {Range | null} range
   */
  async goToPermalink(range) {
    const { revision, start, end } = await this.requestHistory(range, 1);
    if (!revision || (range && !start)) {
      const what = range ? `${linesText(range)} of ${this.path}` : this.path;
      return this.open("Permalink", "Reading", async (place) =>
        fill(place, el("p", `No commit has ${what} yet. Commit the file; its lines then have a link that stays.`)));
    }
    const [file, hash] = codeAddress(this.path, start, end).split("#");
    return this.view.go(`${file}?revision=${revision}${hash ? `#${hash}` : ""}`);
  }

  /**
   * Show the definitions of the names in some lines, and the uses of the symbol around them.
   * @param {Range} range
   */
  showUses(range) {
    const symbol = this.outline.symbolAt(range.first);
    const title = `Definitions and uses: ${linesText(range)}`;
    return this.open(title, "Resolving names", async (place) => {
      const { definitions, uses, total } = await findUses(this.view, this.path, symbol, this.lines.textOf(range));
      const rest = total - uses.length;
      fill(place,
        drawUses("Defined elsewhere, used in these lines", definitions, this.path),
        symbol && drawUses(`Uses of ${symbol.path}`, uses, this.path),
        rest > 0 && quiet(`and ${pluralise(rest, "more use")}`),
        !definitions.length && !uses.length && el("p", symbol
          ? `The dependency graph knows no use of ${symbol.path}, and no definition of a name in these lines.`
          : "These lines are in no function or class. Select a line of one."));
    });
  }

  /**
   * Go to the definition of a name in a line; if it has several or is not known, show what is known.
   * @param {number} line
   * @param {string} word
   */
  async goToDefinition(line, word) {
    const { definitions } = await findUses(this.view, this.path, this.outline.symbolAt(line), word);
    const known = definitions.filter((place) => place.line !== null);
    if (known.length === 1) return this.view.go(codeAddress(known[0].file, known[0].line));
    this.lines.select(line, line);
    return this.showUses({ first: line, last: line });
  }

  /**
   * Show why some lines are as they are: notes, remarks, tasks, issues and commits that concern them.
   * @param {Range} range
   */
  explain(range) {
    return this.open(`Why ${linesText(range)}?`, "Looking for reasons", async (place) => {
      const { commits } = await this.requestHistory(range, COMMITS_AT_FIRST);
      const reasons = await findReasons(this.view, this.path, range, this.notes(), commits);
      const { notes, remarks, tasks, issues } = reasons;
      fill(place,
        section("Notes", notes.map((note) => item([note.tag ?? "Note", " by ", person(note.author), ago(note.created)],
          note.shownText ?? note.text, note.replies))),
        section("Remarks", remarks.map(({ author, time, comment, answers, line, state }) =>
          item([person(author), " ", ago(time), line && ` on line ${line}`, `, ${state}`], comment, answers))),
        section("Tasks", tasks.map(({ id, title, status, reason }) =>
          el("li", el("a", { href: address("/task", id) }, id), ` ${title} `, quiet(`${status}; ${reason}`)))),
        section("Issues", issues.map(({ id, title, status, task }) =>
          el("li", el("a", { href: address("/issues", id) }, title), quiet(` ${status}; linked to ${task}`)))),
        section("Commits", commits.map(commitItem)),
        !commits.length && el("p", "These lines are not committed yet."),
        !notes.length && !remarks.length && !tasks.length && quiet("No note, remark or task concerns these lines."));
    });
  }
}

/**
 * @param {string} title
 * @param {HTMLElement[]} items
 */
const section = (title, items) =>
  items.length > 0 && el("section", { "aria-label": title }, el("h3", title), el("ul.plain-list.stack", items));

/**
 * A text that somebody wrote, with the replies to it.
 * @param {any} head
 * @param {string} text
 * @param {{text: string, author: string}[]} replies
 */
const item = (head, text, replies) => el("li", el("div.quiet", head), markdown(text),
  replies.map((reply) => el("div.reply", person(reply.author), " ", reply.text)));

/** @param {Commit[]} commits */
const drawCommits = (commits) => commits.length > 0 && el("ul.plain-list.stack", commits.map(commitItem));

/** @param {Commit} commit */
function commitItem({ commit, author, time, subject, body, file }) {
  const then = file && { href: `${codeAddress(file)}?revision=${commit}` };
  const facts = el("div.row.wrap.quiet", person(author), ago(time), el("span.mono", commit.slice(0, 8)),
    then && el("a", then, "the file then"));
  const link = el("a", { href: commitAddress(commit) }, subject || "(no message)");
  return el("li.commit", link, facts, body && el("details", el("summary", "Message"), el("pre.message", body)));
}

/**
 * @param {string} title
 * @param {Use[]} uses
 * @param {string} path the open file, whose name is left out
 */
const drawUses = (title, uses, path) => section(title, uses.map(({ name, file, line, count, certainty }) =>
  el("li.row.wrap", line === null ? codeLink(file)
    : el("a.mono", { href: codeAddress(file, line) }, name || file),
  file !== path && quiet(`${file}:${line}`), quiet(`${pluralise(count, "place")}, ${CERTAINTY_TEXTS[certainty]}`))));
