// pixels.js - measures on screenshots.
import { PNG } from "pngjs";

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
