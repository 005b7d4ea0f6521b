// Keys of the page: each part says which keys do what, and while what is shown. The list of all of
// them is the help that `?` opens, so it is never out of date.

import { el } from "./dom.js";

/** @typedef {{keys: string[], what: string, run: (event: KeyboardEvent) => void}} Command */
/** @typedef {{title: string, isActive: () => boolean, commands: Command[]}} Scope */

/** Fields in which keys write text, or choose. */
const FIELDS = "textarea, select, input:not([type=checkbox], [type=radio]), dialog *";

/** Keys whose names a reader would not know. @type {Record<string, string>} */
const NAMES = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space",
};

export class Keys {
  constructor() {
    /** @type {Scope[]} */
    this.scopes = [];
    this.add("Everywhere", () => true, [
      { keys: ["?"], what: "show this list", run: () => this.showHelp() },
    ]);
    addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Adds keys that hold while `isActive`. @param {string} title @param {() => boolean} isActive
   *  @param {Command[]} commands */
  add(title, isActive, commands) {
    this.scopes.push({ title, isActive, commands });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
    if (isTaken || target.matches(FIELDS)) return;
    // The innermost view comes last.
    for (const { isActive, commands } of this.scopes.toReversed()) {
      const command = isActive() && commands.find(({ keys }) => keys.includes(event.key));
      if (command) {
        event.preventDefault();
        command.run(event);
        return;
      }
    }
  }

  showHelp() {
    const parts = this.scopes.flatMap(({ title, commands }) => [
      el("h3", {}, title),
      el("dl.keys", {}, ...commands.flatMap(({ keys, what }) => [
        el("dt", {}, ...keys.flatMap((key) => [el("kbd", {}, NAMES[key] ?? key), " "])),
        el("dd", {}, what),
      ])),
    ]);
    const dialog = /** @type {HTMLDialogElement} */ (el("dialog.help", { "aria-label": "Keys" },
      el("h2", {}, "Keys"), ...parts,
      el("button", { onclick: () => dialog.close() }, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}
