// page.js - the texts and buttons around the view of the example.

/** @import {Session} from "gizmod-client" */
/** @import {RemoteTransformControls} from "gizmod-client/three" */

const KEYS = new Map([
  ["w", "translate"],
  ["e", "rotate"],
  ["r", "scale"],
]);

/** Buttons and keys that choose the mode. @param {RemoteTransformControls} controls */
export function startTools(controls) {
  const buttons = [...document.querySelectorAll("button[data-mode]")];
  const choose = (/** @type {any} */ mode) => {
    controls.setMode(mode);
    for (const button of buttons)
      button.setAttribute("aria-pressed", `${button.getAttribute("data-mode") === mode}`);
  };
  for (const button of buttons)
    button.addEventListener("click", () => choose(button.getAttribute("data-mode")));
  addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
    const mode = KEYS.get(key.toLowerCase());
    if (mode && !ctrlKey && !metaKey && !altKey) choose(mode);
  });
}

/** @param {string} words */
export function showStatus(words) {
  /** @type {HTMLElement} */ (document.querySelector("[role=status]")).textContent = words;
}

/** Who is here, in their colours. @param {Session} session */
export function showPeople(session) {
  const list = /** @type {HTMLElement} */ (document.querySelector("ul"));
  const show = () =>
    list.replaceChildren(
      ...session.people.map(({ user, colour, me }) => {
        const item = document.createElement("li");
        item.style.setProperty("--person", colour);
        item.textContent = me ? `${user} (you)` : user;
        return item;
      }),
    );
  session.on("people", show);
  show();
}
