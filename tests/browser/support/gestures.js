// gestures.js - what a hand does in the view, by real pointer events.
import { HELD, decode, extent } from "./pixels.js";

/** Pixels about a place in which the end of an arrow is looked for. */
const REACH_PX = 60;

/** A place on the arrow of an axis, away from where it meets others, and the arrow's direction, in pixels of the page. */
export async function arrow(person, axis) {
  const { origin, axes, size } = await person.page.evaluate(() => window.gizmod.gizmo.value);
  const at = await person.project(origin.map((value, i) => value + axes[3 * axis + i] * 0.8 * size));
  const [x, y] = await person.project(origin);
  const length = Math.hypot(at[0] - x, at[1] - y);
  return { at, along: [(at[0] - x) / length, (at[1] - y) / length] };
}

/** Presses here and waits until a drag runs. */
export async function grab(person, at) {
  await person.page.mouse.move(...at);
  await person.until(() => window.gizmod.gizmo.value?.hover !== undefined);
  await person.page.mouse.down();
  await person.until(() => window.gizmod.gizmo.value?.active !== undefined);
}

/** Moves the mouse in a straight line, step by step. */
export async function glide(person, from, to, steps = 8) {
  for (let i = 1; i <= steps; i++) {
    await person.page.mouse.move(from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps);
  }
}

/** Presses on the arrow of an axis and moves it by so many pixels along itself. Without `release` the button stays down. @returns where the mouse is then */
export async function dragArrow(person, axis, pixels, { release = true } = {}) {
  const { at, along } = await arrow(person, axis);
  const to = [at[0] + along[0] * pixels, at[1] + along[1] * pixels];
  await grab(person, at);
  await glide(person, at, to);
  if (release) await person.page.mouse.up();
  return to;
}

/** How far beyond the cursor the end of the arrow that is held is seen, in pixels of a screenshot. */
async function beyond(person, at, along) {
  await person.rested();
  return extent(decode(await person.screenshot()), at, REACH_PX, along, HELD);
}

/** Presses on the arrow of an axis and moves it along itself, the button still down: how far beyond the cursor its end was seen at the press, and is now. */
export async function carryArrow(person, axis, pixels) {
  const { at, along } = await arrow(person, axis);
  await grab(person, at);
  const pressed = await beyond(person, at, along);
  const to = [at[0] + along[0] * pixels, at[1] + along[1] * pixels];
  await glide(person, at, to);
  return [pressed, await beyond(person, to, along)];
}

/** Waits until the server has answered everything, and what it said is drawn. */
export async function settled(person) {
  await person.until(() => window.gizmod.session.unsaved === 0 && window.gizmod.gizmo.value?.active === undefined);
  await person.drawn();
}
