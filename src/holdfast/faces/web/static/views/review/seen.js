// What this browser remembers of reviews: files that were seen, remarks that are done with, drafts.

const MOST = 2000;

/** Something kept under a name of this browser; what cannot be read counts as nothing. */
function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? found : [];
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

/** Remarks that are not sent yet, of one repository. */
export class Drafts {
  constructor(repository) {
    this.name = `review drafts ${repository}`;
    this.list = kept(this.name).map((draft) => ({ ...draft, problem: null }));
  }

  add(draft) {
    this.list.push(draft);
    this.save();
  }

  remove(draft) {
    this.list = this.list.filter((one) => one !== draft);
    this.save();
  }

  save() {
    keep(this.name, this.list.map(({ problem: _problem, ...rest }) => rest));
  }
}
