// Elements in one expression. Text is always set as text, never as HTML: names come from programs.

/** `el("div.box", {title: "x"}, "text", child)`: element, classes, attributes and content.
 *  @param {string} kind @param {Record<string, any>} attributes
 *  @param {...(Node | string | null | undefined)} content @returns {HTMLElement} */
export function el(kind, attributes = {}, ...content) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  for (const part of content) if (part !== null && part !== undefined) element.append(part);
  return element;
}

/** A sentence as content: what stands between backquotes is code. @param {string} text */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

/** Replaces the content of an element; parts that are null are left out.
 *  @param {Element} host @param {...(Node | string | null | undefined)} content */
export function fillWith(host, ...content) {
  host.replaceChildren();
  for (const part of content) if (part !== null && part !== undefined) host.append(part);
}
