// sharetime.ts - until when a link holds: what the person chooses, and what the token says. Pure.
import { tokenExpiry } from "../../sdk/token.js";

/** The longest time that the server gives a link. */
const DAYS_MAX = 30;
const TERMS: Record<string, number> = { hour: 3600, day: 86_400, week: 7 * 86_400 };

/** The day of a moment, as a field for dates has it, and the last moment of that day. */
export function lastMoment(ms: number): { day: string; end: number } {
  const end = new Date(ms).setHours(23, 59, 59, 0);
  const local = new Date(end - 60_000 * new Date(end).getTimezoneOffset());
  return { day: local.toISOString().slice(0, 10), end };
}

/**
 * How long a new link holds, in seconds.
 * @param date the last day, "2026-11-24", if the term is `date`
 * @returns null if that is over, or too late
 */
export function linkSeconds(term: string, date: string, now: number): number | null {
  if (term in TERMS) return TERMS[term];
  const start = new Date(`${date}T00:00:00`).getTime();
  const seconds = Math.floor((lastMoment(start || 0).end - now) / 1000);
  return date !== "" && seconds > 0 && seconds <= DAYS_MAX * TERMS.day ? seconds : null;
}

/** Until when a link with this token holds, in words. */
export function untilText(token: string): string {
  const expires = tokenExpiry(token);
  if (expires === undefined) return "";
  const words = { dateStyle: "full", timeStyle: "short" } as const;
  return `It is valid until ${new Date(1000 * expires).toLocaleString("en-GB", words)}.`;
}
