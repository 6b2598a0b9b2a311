import type { FieldError } from '../errors/gatehouse-error.js';

/** An import's state. `interrupted`: it is not complete, and no request is processing it. */
export type ImportState = 'running' | 'interrupted' | 'completed';

/**
 * A line's status. `updated`: the line changed an existing customer. `skipped`: nothing was changed, because the
 * email address was already registered or an update was not newer than the customer.
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
  /** Skipped lines that would not have changed their customers: the values were equal, or the line was not newer. */
  unchanged: number;
  /** Lines from which the import left out a value. */
  incomplete: number;
  /** Created customers whose password hash is weaker than OWASP recommends. */
  weakHashes: number;
  /** The number of the last processed line, counted from 1 and including blank lines; 0 before the first one. */
  lastLine: number;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** The result for one line of an import. */
export interface ImportLineResult {
  /** Counted from 1. */
  line: number;
  status: ImportLineStatus;
  /** The customer who was created or updated, or who already has the email address. */
  customerId: string | null;
  /** The reasons why no customer was created or updated. `field` is empty in an error that concerns the entire line. */
  errors: FieldError[];
  /** The values that were left out. */
  warnings: FieldError[];
  /** True for a created customer whose password hash is weaker than OWASP recommends. */
  hasWeakHash?: boolean;
}

/** The number of lines by status, and in subsets such as `unchanged` and `incomplete`. */
export type ImportCounts = Pick<
  CustomerImport,
  'created' | 'updated' | 'skipped' | 'failed' | 'unchanged' | 'incomplete' | 'weakHashes'
>;

export const zeroImportCounts: ImportCounts = {
  ...{ created: 0, updated: 0, skipped: 0, failed: 0 },
  ...{ unchanged: 0, incomplete: 0, weakHashes: 0 },
};

/** The error codes of updates that would not have changed anything. */
const unchangedCodes = ['not_newer', 'unchanged'];

/** Returns whether a line was skipped because it would not have changed its customer. */
export const isUnchanged = ({ status, errors }: ImportLineResult): boolean =>
  status === 'skipped' && unchangedCodes.includes(errors[0]?.code ?? '');

export function countResults(results: ImportLineResult[]): ImportCounts {
  const counts = { ...zeroImportCounts };
  for (const result of results) {
    counts[result.status] += 1;
    if (isUnchanged(result)) counts.unchanged += 1;
    if (result.warnings.length > 0) counts.incomplete += 1;
    if (result.hasWeakHash) counts.weakHashes += 1;
  }
  return counts;
}

/** The kinds of lines that an import lists. Each kind has a separate limit, so that one cannot displace another. */
export const listedKinds = ['failed', 'skipped', 'unchanged', 'incomplete'] as const;
export type ListedKind = (typeof listedKinds)[number];

/** Returns the kind under which an import lists a line; null if its customer was created or updated completely. */
export function listedKind(result: ImportLineResult): ListedKind | null {
  if (result.status === 'failed') return 'failed';
  if (result.warnings.length > 0) return 'incomplete';
  if (result.status !== 'skipped') return null;
  return isUnchanged(result) ? 'unchanged' : 'skipped';
}

/** Returns the number of lines with a kind. */
export const countByKind = (kind: ListedKind, counts: Omit<ImportCounts, 'weakHashes'>): number =>
  kind === 'skipped' ? counts.skipped - counts.unchanged : counts[kind];
