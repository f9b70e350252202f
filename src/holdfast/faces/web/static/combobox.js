// The list of a combobox (WAI-ARIA): arrow keys move the selection, Enter or a click chooses an item.

import { el, fill } from "./dom.js";

/**
 * The list of options below a text field.
 * @template Item
 */
export class Options {
  /**
   * @param {HTMLInputElement} input
   * @param {HTMLElement} list
   * @param {{render: (item: Item) => any, choose: (item: Item) => any}} callbacks
   */
  constructor(input, list, { render, choose }) {
    this.input = input;
    this.list = list;
    this.render = render;
    this.choose = choose;
    /** @type {Item[]} */
    this.items = [];
    this.selected = -1;
  }

  /**
   * Show items, with at most one of them selected.
   * @param {Item[]} items
   * @param {number} selected the index of the selected item, or -1
   */
  show(items, selected = -1) {
    this.items = items;
    this.selected = selected;
    fill(this.list, items.map((item, index) => el("li", {
      id: `${this.list.id}-${index}`, role: "option", "aria-selected": index === selected,
      on: { mousedown: (event) => event.preventDefault(), click: () => this.choose(item) }, // the field keeps the focus
    }, this.render(item))));
    const current = this.list.children[selected];
    this.input.setAttribute("aria-activedescendant", current?.id ?? "");
    current?.scrollIntoView({ block: "nearest" });
  }

  /**
   * Handle an arrow key or Enter; return whether the list used the key.
   * @param {string} key
   */
  handleKey(key) {
    const { items, selected } = this;
    const last = items.length - 1;
    if (key === "ArrowDown" && items.length) this.show(items, selected < last ? selected + 1 : 0);
    else if (key === "ArrowUp" && items.length) this.show(items, selected > 0 ? selected - 1 : last);
    else if (key === "Enter" && selected >= 0) this.choose(items[selected]);
    else return false;
    return true;
  }
}
