import type { ExportedCustomer } from '@gatehouse/server';
import type { Reason } from '../import/reasons.js';
import type { SourceOption } from '../import/source.js';

export type { ExportedCustomer, Reason };

/** A value that the other system does not get, or gets in another form. */
export interface Difference extends Reason {
  /** `left_out`: the other system will not honor the value. `changed`: it has the value, in another form. */
  result: 'left_out' | 'changed';
  /** The name of the customer field. */
  field: string;
}

/** One file in an export, or a series of numbered files. */
export interface TargetFile {
  /** The name; `#` is the file's number in a series. */
  name: string;
  head: string;
  /** Stands between two records. */
  separator: string;
  tail: string;
  /** Maximum size of a file in a series, in bytes. */
  maxBytes?: number;
  /** Maximum number of records in a file in a series. */
  maxRecords?: number;
}

/** A customer in the other system's format. */
export interface ConvertedCustomer {
  /** The records for each file, by the file's position in the target's `files`. */
  records: readonly (readonly string[])[];
  differences: readonly Difference[];
}

export interface TargetOptions {
  /** The identity providers' names in the other system, by their slugs. */
  providers: ReadonlyMap<string, string>;
  /** The values for the target's `options` by their names in camel case. */
  values: Readonly<Record<string, string | undefined>>;
}

/** Writes customers in another system's format. */
export interface ExportTarget {
  /** The value for `--to`. */
  readonly name: string;
  /** The description of the files, for the help. */
  readonly description: string;
  readonly files: readonly TargetFile[];
  /** The identity providers' usual names, by their slugs. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  readonly options?: readonly SourceOption[];
  convert(customer: ExportedCustomer, options: TargetOptions): ConvertedCustomer;
}
