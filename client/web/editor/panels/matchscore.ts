// matchscore.ts - rates how well a text matches a search. Pure.

/**
 * 0 if one of the typed words is missing; higher if words begin with what was typed, and if they
 * come early.
 */
export function matchScore(text: string, typed: string): number {
  const lower = text.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let points = 0;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    const begins = new RegExp(`(^|[^a-z0-9])${word.replace(/[^a-z0-9]/g, "\\$&")}`).test(lower);
    points += (begins ? 2 : 1) + 1 / (1 + at);
  }
  return points;
}
