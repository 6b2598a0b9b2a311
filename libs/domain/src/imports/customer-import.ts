import type { FieldError } from '../errors/gatehouse-error.js';

/** The state of an import. `interrupted`: no request processes it, and it is not complete. */
export type ImportState = 'running' | 'interrupted' | 'completed';

/** The result of a line. `skipped`: its email address was already registered, and nothing was changed. */
export type ImportLineStatus = 'created' | 'skipped' | 'failed';

/** An import of customers (contract, section 4). */
export interface CustomerImport {
  id: string;
  projectId: string;
  state: ImportState;
  created: number;
  skipped: number;
  failed: number;
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
  /** The customer that was created or that already has the email address. */
  customerId: string | null;
  /** The reasons why no customer was created. An error of the entire line has an empty `field`. */
  errors: FieldError[];
  /** True for a created customer whose password hash is cheaper to guess than OWASP recommends. */
  hasWeakHash?: boolean;
}
