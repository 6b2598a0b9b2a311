import type { FieldError } from '../errors/gatehouse-error.js';

/** The state of an import. `interrupted`: no request processes it, and it is not complete. */
export type ImportState = 'running' | 'interrupted' | 'completed';

/**
 * The result of a line. `updated`: the line belongs to an existing customer and has changed it. `skipped`: the email
 * address was already registered, or an update was not newer than the customer. Nothing was changed.
 */
export type ImportLineStatus = 'created' | 'updated' | 'skipped' | 'failed';

/** An import of customers (contract, section 4). */
export interface CustomerImport {
  id: string;
  projectId: string;
  state: ImportState;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  /** Skipped customers that already had all values of their lines, or were not older than their lines. */
  unchanged: number;
  /** Customers of whose lines a value was left out. */
  incomplete: number;
  /** Created customers whose password hash is cheaper to guess than OWASP recommends. */
  weakHashes: number;
  /** The last processed line, counted from 1 and including blank lines; 0 before the first. */
  lastLine: number;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** The result of one line of an import. */
export interface ImportLineResult {
  /** Counted from 1. */
  line: number;
  status: ImportLineStatus;
  /** The customer that was created or updated, or that already has the email address. */
  customerId: string | null;
  /** The reasons why no customer was created or updated. An error of the entire line has an empty `field`. */
  errors: FieldError[];
  /** The values that were left out. */
  warnings: FieldError[];
  /** True for a created customer whose password hash is cheaper to guess than OWASP recommends. */
  hasWeakHash?: boolean;
}

/** The counts of results that are subsets of the results with a status, or of all results. */
export type ImportCounts = Pick<
  CustomerImport,
  'created' | 'updated' | 'skipped' | 'failed' | 'unchanged' | 'incomplete' | 'weakHashes'
>;

export const noImportCounts: ImportCounts = {
  ...{ created: 0, updated: 0, skipped: 0, failed: 0 },
  ...{ unchanged: 0, incomplete: 0, weakHashes: 0 },
};

/** Codes of updates that had nothing to change. */
const unchangedCodes = ['not_newer', 'unchanged'];

/** Returns whether an update had nothing to change. */
export const isUnchanged = ({ status, errors }: ImportLineResult): boolean =>
  status === 'skipped' && unchangedCodes.includes(errors[0]?.code ?? '');

/** Returns the counts of results. */
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

/** The kinds of lines that imports list, each up to a limit of its own, so that no kind hides another one. */
export const listedKinds = ['failed', 'skipped', 'unchanged', 'incomplete'] as const;
export type ListedKind = (typeof listedKinds)[number];

/** Returns the kind as which an import lists a line; null for a customer who was created or updated completely. */
export function listedKind(result: ImportLineResult): ListedKind | null {
  if (result.status === 'failed') return 'failed';
  if (result.warnings.length > 0) return 'incomplete';
  if (result.status !== 'skipped') return null;
  return isUnchanged(result) ? 'unchanged' : 'skipped';
}

/** Returns the number of lines of a kind, given the counts of an import. */
export const countOfKind = (kind: ListedKind, counts: Omit<ImportCounts, 'weakHashes'>): number =>
  kind === 'skipped' ? counts.skipped - counts.unchanged : counts[kind];
