// round.ts - rounds numbers to 1, 2 or 5 times a power of ten. Pure.

/**
 * The least number of the series 1, 2, 5, 10, 20 ... and its tenths that is not below `least`,
 * which is above 0.
 */
export function roundAbove(least: number): number {
  const power = Math.floor(Math.log10(least));
  const digit = [1, 2, 5].find((digit) => Number(`${digit}e${power}`) >= least * (1 - 1e-12));
  return digit === undefined ? Number(`1e${power + 1}`) : Number(`${digit}e${power}`);
}

/** The greatest number of that series that is not above `most`. */
export function roundBelow(most: number): number {
  return Number((1 / roundAbove(1 / most)).toPrecision(1));
}
