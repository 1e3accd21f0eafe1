// pixels.js - measures on screenshots.
import { PNG } from "pngjs";

/** The colour of a handle that is held, in the dark theme: yellow, whatever is behind it; no edge of an orange outline is. */
export const HELD = (r, g, b) => r > 190 && g > 150 && b < 120 && r - b > 100 && r - g < 60;

/** @param {Buffer} png */
export function decode(png) {
  return PNG.sync.read(png);
}

/**
 * The middle of the pixels that a test accepts, within a square about a place; null where there are fewer than `least`.
 * @param {{ width: number, height: number, data: Buffer }} image
 * @param {[number, number]} about
 * @param {number} reach
 * @param {(r: number, g: number, b: number) => boolean} accept
 */
export function centroid(image, about, reach, accept, least = 8) {
  let count = 0, sumX = 0, sumY = 0;
  const clamp = (value, size) => Math.max(0, Math.min(size - 1, Math.round(value)));
  for (let y = clamp(about[1] - reach, image.height); y <= clamp(about[1] + reach, image.height); y++) {
    for (let x = clamp(about[0] - reach, image.width); x <= clamp(about[0] + reach, image.width); x++) {
      const i = 4 * (y * image.width + x);
      if (!accept(image.data[i], image.data[i + 1], image.data[i + 2])) continue;
      count++;
      sumX += x + 0.5;
      sumY += y + 0.5;
    }
  }
  return count < least ? null : [sumX / count, sumY / count];
}

/**
 * How far, along a direction, the pixels that a test accepts reach from a place: the mean of the farthest few; null where there are none. Pixels that are
 * farther than `across` from the line through the place do not count.
 * @param {{ width: number, height: number, data: Buffer }} image
 * @param {[number, number]} about
 * @param {number} reach
 * @param {[number, number]} along a unit vector
 * @param {(r: number, g: number, b: number) => boolean} accept
 */
export function extent(image, about, reach, along, accept, few = 4, across = Infinity) {
  const found = [];
  for (let y = Math.max(0, Math.floor(about[1] - reach)); y < Math.min(image.height, about[1] + reach); y++) {
    for (let x = Math.max(0, Math.floor(about[0] - reach)); x < Math.min(image.width, about[0] + reach); x++) {
      const i = 4 * (y * image.width + x);
      if (!accept(image.data[i], image.data[i + 1], image.data[i + 2])) continue;
      const [dx, dy] = [x + 0.5 - about[0], y + 0.5 - about[1]];
      if (Math.abs(dx * along[1] - dy * along[0]) <= across) found.push(dx * along[0] + dy * along[1]);
    }
  }
  if (found.length < few) return null;
  const farthest = found.sort((a, b) => b - a).slice(0, few);
  return farthest.reduce((sum, value) => sum + value, 0) / few;
}
