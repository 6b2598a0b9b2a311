import type { ExportedCustomer } from '@gatehouse/server';
import type { Reason } from '../import/reasons.js';
import type { SourceOption } from '../import/source.js';

export type { ExportedCustomer, Reason };

/** A value that the other system does not get, or gets in another form. */
export interface Difference extends Reason {
  /** `left_out`: the other system will not honor the value. `changed`: it has the value, in another form. */
  result: 'left_out' | 'changed';
  /** The name of the field of the customer. */
  field: string;
}

/** One file of an export, or a series of numbered files. */
export interface TargetFile {
  /** The name; `#` is the number of a file of a series. */
  name: string;
  head: string;
  /** Stands between two records. */
  separator: string;
  tail: string;
  /** Maximum size of a file of a series, in bytes. */
  maxBytes?: number;
  /** Maximum number of records in a file of a series. */
  maxRecords?: number;
}

/** A customer in the format of the other system. */
export interface ConvertedCustomer {
  /** The records of each file, by the position of the file in `files` of the target. */
  records: readonly (readonly string[])[];
  differences: readonly Difference[];
}

export interface TargetOptions {
  /** The names of identity providers in the other system, by their slugs. */
  providers: ReadonlyMap<string, string>;
  /** The values of `options` of the target by their names in camel case. */
  values: Readonly<Record<string, string | undefined>>;
}

/** Writes customers in the format of another system. */
export interface ExportTarget {
  /** The value of `--to`. */
  readonly name: string;
  /** What the files are, for the help. */
  readonly description: string;
  readonly files: readonly TargetFile[];
  /** The usual names of identity providers, by their slugs. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  readonly options?: readonly SourceOption[];
  convert(customer: ExportedCustomer, options: TargetOptions): ConvertedCustomer;
}
