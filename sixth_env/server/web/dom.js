// The few helpers that draw: no framework, elements are made and put in place.

/**
 * An element. Of `attributes`, functions become listeners ("onclick"), true an empty attribute;
 * false, null and undefined are left out, and so are such children.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  const shown = children.flat(2).filter((child) => child !== null && child !== undefined);
  element.append(...shown.filter((child) => child !== false));
  return element;
}

/** Show these children in a place, and keep the focus on what has the same data-key. */
export function show(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  place.replaceChildren(...children.flat(2).filter((child) => child));
  if (key) place.querySelector(`[data-key="${key}"]`)?.focus();
}

export const byId = (id) => document.getElementById(id);

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
