import type { FieldError } from '../errors/gatehouse-error.js';

/** An import's state. `interrupted`: no request processes it, and it is not complete. */
export type ImportState = 'running' | 'interrupted' | 'completed';

/**
 * A line's result. `updated`: the line belongs to an existing customer and has changed it. `skipped`: the email address
 * was already registered, or an update was not newer than the customer. Nothing was changed.
 */
export type ImportLineStatus = 'created' | 'updated' | 'skipped' | 'failed';

/** A customer import (contract, section 4). */
export interface CustomerImport {
  id: string;
  projectId: string;
  state: ImportState;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  /** Skipped customers that already had all values from their lines, or were not older than their lines. */
  unchanged: number;
  /** Customers for whom the import left out a value in their lines. */
  incomplete: number;
  /** Created customers whose password hash is cheaper to guess than OWASP recommends. */
  weakHashes: number;
  /** The last processed line, counted from 1 and including blank lines; 0 before the first. */
  lastLine: number;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** The result for one line in an import. */
export interface ImportLineResult {
  /** Counted from 1. */
  line: number;
  status: ImportLineStatus;
  /** The customer that was created or updated, or that already has the email address. */
  customerId: string | null;
  /**
   * The reasons why no customer was created or updated. An error that concerns the entire line has an empty `field`.
   */
  errors: FieldError[];
  /** The values that were left out. */
  warnings: FieldError[];
  /** True for a created customer whose password hash is cheaper to guess than OWASP recommends. */
  hasWeakHash?: boolean;
}

/** The result counts that are subsets of the results with a status, or of all results. */
export type ImportCounts = Pick<
  CustomerImport,
  'created' | 'updated' | 'skipped' | 'failed' | 'unchanged' | 'incomplete' | 'weakHashes'
>;

export const noImportCounts: ImportCounts = {
  ...{ created: 0, updated: 0, skipped: 0, failed: 0 },
  ...{ unchanged: 0, incomplete: 0, weakHashes: 0 },
};

/** Codes for updates that had nothing to change. */
const unchangedCodes = ['not_newer', 'unchanged'];

/** Returns whether an update had nothing to change. */
export const isUnchanged = ({ status, errors }: ImportLineResult): boolean =>
  status === 'skipped' && unchangedCodes.includes(errors[0]?.code ?? '');

/** Returns the result counts. */
export function countResults(results: ImportLineResult[]): ImportCounts {
  const counts = { ...noImportCounts };
  for (const result of results) {
    counts[result.status] += 1;
    if (isUnchanged(result)) counts.unchanged += 1;
    if (result.warnings.length > 0) counts.incomplete += 1;
    if (result.hasWeakHash) counts.weakHashes += 1;
  }
  return counts;
}

/** The line kinds that imports list, each with a separate limit, so that no kind hides another one. */
export const listedKinds = ['failed', 'skipped', 'unchanged', 'incomplete'] as const;
export type ListedKind = (typeof listedKinds)[number];

/** Returns the kind under which an import lists a line; null for a customer who was created or updated completely. */
export function listedKind(result: ImportLineResult): ListedKind | null {
  if (result.status === 'failed') return 'failed';
  if (result.warnings.length > 0) return 'incomplete';
  if (result.status !== 'skipped') return null;
  return isUnchanged(result) ? 'unchanged' : 'skipped';
}

/** Returns a kind's line count, given an import's counts. */
export const countOfKind = (kind: ListedKind, counts: Omit<ImportCounts, 'weakHashes'>): number =>
  kind === 'skipped' ? counts.skipped - counts.unchanged : counts[kind];
