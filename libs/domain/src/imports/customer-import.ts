import type { FieldError } from '../errors/gatehouse-error.js';

/** How an import stands. `interrupted`: nobody works on it, and it has not come to its end. */
export type ImportState = 'running' | 'interrupted' | 'completed';

/** What became of a line. `skipped`: its address was registered already, and nothing was changed. */
export type ImportLineStatus = 'created' | 'skipped' | 'failed';

/** An import of customers (contract, section 4). */
export interface CustomerImport {
  id: string;
  projectId: string;
  state: ImportState;
  created: number;
  skipped: number;
  failed: number;
  /** The last line that is done with, counted from 1, blank ones included; 0 before the first. */
  lastLine: number;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** What became of one line of an import. */
export interface ImportLineResult {
  /** Counted from 1. */
  line: number;
  status: ImportLineStatus;
  /** Who was created, or has the address already. */
  customerId: string | null;
  /** Why nobody was created. A fault of the whole line has an empty `field`. */
  errors: FieldError[];
}
