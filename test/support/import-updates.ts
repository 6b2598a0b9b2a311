import { randomUUID } from 'node:crypto';
import type { TestResponse } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

const DAY = 86_400_000;

/** Returns a time in the past. Any change in Gatehouse is later. */
export const day = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * DAY).toISOString();

/** Returns an import line. */
export const createImportLine = (more: object = {}) => ({
  ...{ email: uniqueEmail(), externalId: randomUUID(), createdAt: day(1), updatedAt: day(1) },
  ...more,
});

/** Summarizes a result: its status, and its error and warning codes by field. */
export const summarize = ({ status, errors, warnings }: any): string =>
  [status, ...[...errors, ...warnings].map(({ field, code }: any) => `${field}:${code}`)].join(' ');

export const results = ({ body }: TestResponse): string[] => body.results.map(summarize);
