// canvasplace.js - the one measure from the page to a canvas: where a pointer is in the picture,
// whatever CSS does to it: scale, rotation, skew, `zoom`, borders and padding, `object-fit`, sizes
// that are no whole pixels, on the canvas and on everything around it. Only a transform in three
// dimensions (`perspective`, `rotateX`) is not undone.

/** @import {Vec2} from "./types.js" */

/**
 * The size of the picture of a canvas in CSS pixels of its own layout, before any transform:
 * the viewport that places of `placeOn` are in. With `object-fit` it is what the picture covers.
 * @param {Element} element
 * @returns {{width: number, height: number}} 0 by 0 while the element is not displayed
 */
export function sizeOf(element) {
  const { width, height } = layoutOf(element).picture;
  return { width, height };
}

/**
 * The place of a pointer in pixels of `sizeOf`, from the upper left of the picture.
 * @param {Element} element
 * @param {{clientX: number, clientY: number}} pointer an event, or any place of the page's window
 * @returns {Vec2} not finite while the element is not displayed
 */
export function placeOn(element, { clientX, clientY }) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const { outer, picture } = layoutOf(element);
  // The middle of the box that the browser reports is the middle of the element, however turned.
  const away = [clientX - left - width / 2, clientY - top - height / 2];
  const [a, b, c, d] = turnOf(element);
  // How far the corners reach without what multiplies every length, such as `zoom`.
  const wide = Math.abs(a) * outer.width + Math.abs(c) * outer.height;
  const high = Math.abs(b) * outer.width + Math.abs(d) * outer.height;
  const [x, y] = [(away[0] * wide) / width, (away[1] * high) / height];
  const area = a * d - b * c;
  return [
    (d * x - c * y) / area + outer.width / 2 - picture.left,
    (a * y - b * x) / area + outer.height / 2 - picture.top,
  ];
}

/** Whether an element is in the page and covers any of it. @param {Element} element */
export function isDisplayed(element) {
  const { width, height } = element.getBoundingClientRect();
  return element.isConnected !== false && width > 0 && height > 0;
}

/**
 * The outer size of an element and where its picture is in it, in CSS pixels of its layout.
 * @param {Element} element
 */
function layoutOf(element) {
  const css = styleOf(element);
  if (!css) return plainLayoutOf(element);
  const [left, right, top, bottom] = ["Left", "Right", "Top", "Bottom"].map(
    (side) => px(css[`border${side}Width`]) + px(css[`padding${side}`]),
  );
  const whole = css.boxSizing === "border-box";
  // Unlike offsetWidth these are not rounded. An element in a line of text has none.
  const width = parseFloat(css.width) + (whole ? 0 : left + right);
  const height = parseFloat(css.height) + (whole ? 0 : top + bottom);
  if (!(width > 0) || !(height > 0)) return plainLayoutOf(element);
  const room = {
    left,
    top,
    width: Math.max(0, width - left - right),
    height: Math.max(0, height - top - bottom),
  };
  return { outer: { width, height }, picture: fitted(element, css, room) };
}

/** @param {any} element */
function plainLayoutOf({ clientWidth, clientHeight, offsetWidth, offsetHeight }) {
  const [width, height] = [offsetWidth ?? clientWidth, offsetHeight ?? clientHeight];
  return { outer: { width, height }, picture: { left: 0, top: 0, width, height } };
}

/**
 * Where `object-fit` puts the picture of a canvas; other elements fill their room.
 * @param {any} element
 * @param {any} css
 * @param {{left: number, top: number, width: number, height: number}} room
 */
function fitted(element, css, room) {
  const { width, height } = element;
  const ratios = [room.width / width, room.height / height];
  const factor = {
    contain: Math.min(...ratios),
    cover: Math.max(...ratios),
    none: 1,
    "scale-down": Math.min(1, ...ratios),
  }[/** @type {string} */ (css.objectFit)];
  if (factor === undefined || !(width > 0) || !(height > 0)) return room;
  const size = [width * factor, height * factor];
  const [x = "50%", y = "50%"] = css.objectPosition.split(" ");
  return {
    left: room.left + offsetOf(x, room.width - size[0]),
    top: room.top + offsetOf(y, room.height - size[1]),
    width: size[0],
    height: size[1],
  };
}

/** A length, or a part of the free room. @param {string} text @param {number} free */
const offsetOf = (text, free) =>
  text.endsWith("%") ? (parseFloat(text) / 100) * free : parseFloat(text);

/**
 * How CSS turns, scales and skews an element on the page: two columns, without its place. Factors
 * that multiply every length need not be in it.
 * @param {Element} element
 * @returns {[number, number, number, number]}
 */
function turnOf(element) {
  /** @type {[number, number, number, number]} */
  let turn = [1, 0, 0, 1];
  for (let at = /** @type {Element | null} */ (element); at; at = above(at)) {
    const css = styleOf(at);
    if (!css) break;
    // As CSS applies them: the element's own `transform` first, then `scale`, then `rotate`.
    for (const part of [matrixOf(css.transform), scaleOf(css.scale), rotationOf(css.rotate)])
      if (part) turn = times(part, turn);
  }
  return turn;
}

/** The element around another one, through slots and shadow roots. @param {any} element */
const above = (element) =>
  element.assignedSlot ?? element.parentElement ?? element.getRootNode?.().host ?? null;

/** @param {string | undefined} text @returns {[number, number, number, number] | null} */
function matrixOf(text) {
  const [, three, list] = /^matrix(3d)?\((.*)\)$/.exec(text ?? "") ?? [];
  if (list === undefined) return null;
  const m = list.split(",").map(Number);
  return three ? [m[0], m[1], m[4], m[5]] : [m[0], m[1], m[2], m[3]];
}

/** @param {string | undefined} text @returns {[number, number, number, number] | null} */
function scaleOf(text) {
  if (!text || text === "none") return null;
  const [x, y = x] = text.split(" ").map(Number);
  return [x, 0, 0, y];
}

/** @param {string | undefined} text @returns {[number, number, number, number] | null} */
function rotationOf(text) {
  const [, degrees] = /^(?:z )?(-?[\d.e+-]+)deg$/.exec(text ?? "") ?? [];
  if (degrees === undefined) return null;
  const turn = (Number(degrees) * Math.PI) / 180;
  return [Math.cos(turn), Math.sin(turn), -Math.sin(turn), Math.cos(turn)];
}

/**
 * @param {[number, number, number, number]} m
 * @param {[number, number, number, number]} n
 * @returns {[number, number, number, number]}
 */
const times = ([a, b, c, d], [e, f, g, h]) => [
  a * e + c * f,
  b * e + d * f,
  a * g + c * h,
  b * g + d * h,
];

/** @param {any} element */
const styleOf = (element) => element.ownerDocument?.defaultView?.getComputedStyle(element);

/** @param {string} length */
const px = (length) => parseFloat(length) || 0;
