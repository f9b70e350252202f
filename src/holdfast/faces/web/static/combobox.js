// The list of a combobox: arrow keys move the selection, Enter or a click takes an item, screen readers follow.

import { el, fill } from "./dom.js";

/**
 * The options below a text field.
 * @template Item
 */
export class Options {
  /**
   * @param {HTMLInputElement} input
   * @param {HTMLElement} list
   * @param {{render: (item: Item) => any, take: (item: Item) => any}} callbacks
   */
  constructor(input, list, { render, take }) {
    this.input = input;
    this.list = list;
    this.render = render;
    this.take = take;
    /** @type {Item[]} */
    this.items = [];
    this.selected = -1;
  }

  /**
   * Show items, one of which may be selected.
   * @param {Item[]} items
   * @param {number} selected its index, or -1
   */
  show(items, selected = -1) {
    this.items = items;
    this.selected = selected;
    fill(this.list, items.map((item, index) => el("li", {
      id: `${this.list.id}-${index}`, role: "option", "aria-selected": index === selected,
      on: { mousedown: (event) => event.preventDefault(), click: () => this.take(item) }, // the field keeps the focus
    }, this.render(item))));
    const current = this.list.children[selected];
    this.input.setAttribute("aria-activedescendant", current?.id ?? "");
    current?.scrollIntoView({ block: "nearest" });
  }

  /**
   * Handle an arrow key or Enter; return whether the key was used.
   * @param {string} key
   */
  press(key) {
    const { items, selected } = this, last = items.length - 1;
    if (key === "ArrowDown" && items.length) this.show(items, selected < last ? selected + 1 : 0);
    else if (key === "ArrowUp" && items.length) this.show(items, selected > 0 ? selected - 1 : last);
    else if (key === "Enter" && selected >= 0) this.take(items[selected]);
    else return false;
    return true;
  }
}
