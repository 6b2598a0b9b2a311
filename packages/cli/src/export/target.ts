import type { ExportedCustomer } from '@gatehouse/server';
import type { Reason } from '../import/reasons.js';
import type { SourceOption } from '../import/source.js';

export type { ExportedCustomer, Reason };

/** A value that the other system does not receive, or receives in another form. */
export interface Difference extends Reason {
  /** `left_out`: the other system does not honor the value. `changed`: it has the value in another form. */
  result: 'left_out' | 'changed';
  /** The customer field's name. */
  field: string;
}

/** One export file, or a series of numbered files. */
export interface TargetFile {
  /** The name; `#` stands for the number of the file in a series. */
  name: string;
  head: string;
  /** The string between two records. */
  separator: string;
  tail: string;
  /** Maximum size of each file in a series, in bytes. */
  maxBytes?: number;
  /** Maximum number of records in each file of a series. */
  maxRecords?: number;
}

/** A customer in the other system's format. */
export interface ConvertedCustomer {
  /** The records for each file, in the order of the target's `files`. */
  records: readonly (readonly string[])[];
  differences: readonly Difference[];
}

export interface TargetOptions {
  /** Identity provider names in the other system, by slug. */
  providers: ReadonlyMap<string, string>;
  /** The values of the target's `options`, by name in camel case. */
  values: Readonly<Record<string, string | undefined>>;
}

/** Writes customers in another system's format. */
export interface ExportTarget {
  /** The value for `--to`. */
  readonly name: string;
  /** The description of the files in the help. */
  readonly description: string;
  readonly files: readonly TargetFile[];
  /** The usual identity provider names, by slug. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  readonly options?: readonly SourceOption[];
  convert(customer: ExportedCustomer, options: TargetOptions): ConvertedCustomer;
}
