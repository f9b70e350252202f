// What this browser remembers of reviews: files that were seen, remarks that are done with, drafts.

const MOST = 2000;

/** Return what is kept under a name; what cannot be read counts as nothing. */
function kept(name) {
  try {
    return [...JSON.parse(localStorage.getItem(name))];
  } catch {
    return [];
  }
}

function keep(name, list) {
  localStorage.setItem(name, JSON.stringify(list.slice(-MOST)));
}

/** A set that outlives the page: versions of files that were seen, remarks that are done with. */
export class Marks {
  constructor(name) {
    this.name = name;
  }

  has(mark) {
    return kept(this.name).includes(mark);
  }

  set(mark, on) {
    keep(this.name, [...kept(this.name).filter((one) => one !== mark), ...(on ? [mark] : [])]);
    document.dispatchEvent(new Event("marked"));
  }
}

/** Remarks that are not sent yet, of one repository; why one was refused is not kept. */
export class Drafts {
  constructor(repository) {
    this.name = `review drafts ${repository}`;
    this.list = kept(this.name).map((draft) => ({ ...draft, problem: null }));
  }

  /** Keep the list as it is now, or another one. */
  save(list = this.list) {
    this.list = list;
    keep(this.name, list);
  }

  remove(draft) {
    this.save(this.list.filter((one) => one !== draft));
  }
}
