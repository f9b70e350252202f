// A field with a list below it: arrows choose, what is chosen or clicked is taken, and those who only hear are told.

import { el, fill } from "./dom.js";

/** What may be chosen below a field; `line(item)` is what an item looks like, `take(item)` gets the chosen one. */
export class Choices {
  constructor(input, list, { line, take }) {
    Object.assign(this, { input, list, line, take, items: [], chosen: -1 });
  }

  show(items, chosen = -1) {
    Object.assign(this, { items, chosen });
    fill(this.list, items.map((item, place) => el("li", {
      id: `${this.list.id}-${place}`, role: "option", "aria-selected": place === chosen,
      on: { mousedown: (event) => event.preventDefault(), click: () => this.take(item) }, // the field keeps the focus
    }, this.line(item))));
    this.input.setAttribute("aria-activedescendant", this.list.children[chosen]?.id ?? "");
    this.list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** Follow an arrow, or take what is chosen; return whether the key meant that. */
  press(key) {
    const { items, chosen } = this, last = items.length - 1;
    const steps = { ArrowDown: chosen < last ? chosen + 1 : 0, ArrowUp: chosen > 0 ? chosen - 1 : last };
    if (key in steps && items.length) this.show(items, steps[key]);
    else if (key === "Enter" && chosen >= 0) this.take(items[chosen]);
    else return false;
    return true;
  }
}
