import { InvalidArgumentError } from 'commander';
import { findNonexistentDate, parseTime } from './parse-time.js';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses a duration such as "90s", "10m", "2h" or "7d". @returns the duration in seconds */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('Use a duration such as 90s, 10m, 2h or 7d.');
  return Number(amount) * UNITS[unit!]!;
}

const isDuration = (text: string): boolean => /^\d+[smhd]$/.test(text);

/** Parses a time, a date, or a duration before now, such as "10m". @returns the time in ISO 8601 */
export const parsePastTime = (text: string): string =>
  isDuration(text) ? toTime(Date.now() - parseDuration(text) * 1_000) : readTime(text);

/** Parses a time, a date, or a duration from now, such as "90d". @returns the time in ISO 8601 */
export const parseFutureTime = (text: string): string =>
  isDuration(text) ? toTime(Date.now() + parseDuration(text) * 1_000) : readTime(text);

function readTime(text: string): string {
  const nonexistent = findNonexistentDate(text);
  if (nonexistent) throw new InvalidArgumentError(`The date ${nonexistent} does not exist.`);
  return toTime(parseTime(text));
}

function toTime(ms: number): string {
  if (Number.isNaN(ms) || Math.abs(ms) > 8.64e15)
    throw new InvalidArgumentError(
      'Use a time such as 2026-11-27T09:30:00Z, a date, or a duration such as 10m.',
    );
  return new Date(ms).toISOString();
}

/** Returns a function that parses a whole number in a range. */
export const parseNumber =
  (smallest: number, largest: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= smallest && value <= largest) return value;
    throw new InvalidArgumentError(`Use a number from ${smallest} to ${largest}.`);
  };

/** Splits a comma-separated list. */
export const parseList = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
