// What this browser remembers: files that were seen, remarks that are done with, drafts, and how tasks were.

const MOST = 2000;

/** Return what is kept under a name; null where nothing is, or it cannot be read. */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null; // some places give a page no memory
  }
}

/** Keep something under a name, where that is allowed. */
export function remember(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Then it is forgotten with the page.
  }
}

const recallList = (name) => [recall(name) ?? []].flat();

// Sets that outlive the page: versions of files that were seen, remarks that are done with.
export const SEEN = "review seen";
export const DONE = "review done";

export const isMarked = (set, mark) => recallList(set).includes(mark);

export function setMark(set, mark, on = true) {
  const others = recallList(set).filter((one) => one !== mark);
  remember(set, [...others, ...(on ? [mark] : [])].slice(-MOST));
  document.dispatchEvent(new Event("marked"));
}

/** Remarks that are not sent yet, of one repository, in all windows; why one was refused is not kept. */
export class Drafts {
  constructor(repository) {
    this.name = `review drafts ${repository}`;
    this.list = [];
    this.renew();
  }

  /** Read what is kept, as another window may have left it; a draft that is known here stays the same object. */
  renew() {
    const known = new Map(this.list.map((draft) => [draft.key, draft]));
    this.list = recallList(this.name).map((draft) => Object.assign(known.get(draft.key) ?? {}, draft));
  }

  save(list = this.list) {
    this.list = list;
    remember(this.name, list.slice(-MOST).map(({ problem, ...draft }) => draft));
  }

  remove(draft) {
    this.save(this.list.filter((one) => one !== draft));
  }
}
