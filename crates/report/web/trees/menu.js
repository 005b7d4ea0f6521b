// A small menu of actions at a button or at the pointer, by mouse and keyboard.

import { el } from "../dom.js";

/** @typedef {{title: string, key?: string, act: () => void}} Action */

/**
 * Opens a menu; it closes when an action was chosen or the focus leaves it.
 * @param {string} label @param {Action[]} actions @param {{x: number, y: number}} at in the window
 * @param {HTMLElement} back what gets the focus afterwards
 */
export function openMenu(label, actions, at, back) {
  document.querySelector(".menu")?.remove();
  const items = actions.map(({ title, key, act }) => el("button.item", {
    role: "menuitem", tabindex: "-1", onclick: () => { close(); act(); },
  }, el("span", {}, title), key ? el("kbd", {}, key) : null));
  const menu = el("div.menu", { role: "menu", "aria-label": label }, ...items);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    menu.remove();
    back.focus({ preventScroll: true });
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const index = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) items.at(to % items.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  menu.addEventListener("keydown", keys);
  menu.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (!menu.contains(/** @type {Element | null} */ (event.relatedTarget))) setTimeout(close);
  });
  document.body.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
  items[0].focus();
}
