import type { ImportedCustomer } from '@gatehouse/server';
import type { Reason } from './reasons.js';

export type { ImportedCustomer };

/** A value that an import does not move, or the reason why a customer cannot be imported. */
export interface LeftOut extends Reason {
  /** The field name in the other system's files; empty for an entire record. */
  field: string;
}

/** A user in the other system. */
export interface SourceRecord {
  /** The record's position, for reports: the file name with the line or the index, such as `users.csv:17`. */
  position: string;
  /** The user's id in the other system, for reports; null if the record has none. */
  sourceId: string | null;
  /**
   * The customer, or null if the record cannot be imported; `leftOut` then contains the reason. `identities` contains
   * the other system's provider names, which the command replaces with slugs.
   */
  customer: ImportedCustomer | null;
  leftOut: LeftOut[];
  /** True if the file does not state whether the user is banned. An update then does not enable the customer. */
  isBanUnknown?: boolean;
}

/** A source option, as commander declares it. */
export interface SourceOption {
  /** The flags, such as `--hash-config <file>`. */
  flags: string;
  description: string;
  /** True for an option that can be passed several times. */
  isRepeatable?: boolean;
}

export interface SourceOptions {
  /** The values of the source's `options`, by name in camel case, such as `hashConfig`; file paths are absolute. */
  values: Readonly<Record<string, string | undefined>>;
  /** The values of repeatable options, by name. */
  lists?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Notifies the user of a problem that affects all records, such as a missing file. Equal notes are printed once. */
  note?: (text: string) => Promise<void>;
}

/** Reads an export from another system. */
export interface ImportSource {
  /** The value for `--from`. */
  readonly name: string;
  /** The files that the source reads, for the help. */
  readonly files: string;
  /** The usual identity provider slugs, by name in the other system. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  /**
   * The reasons why the identities of some providers never match in Gatehouse, by name in the other system. An entry
   * `saml` also applies to `saml:acme` and `saml.acme`. `--provider` cannot override them.
   */
  readonly unusableProviders?: Readonly<Record<string, Reason>>;
  readonly options?: readonly SourceOption[];
  /**
   * Yields one record per user. Order and content depend only on the files and options, because an interrupted import
   * continues only if the same lines are sent again.
   * @throws CliError if the files cannot be read or are not in the format
   */
  read(files: readonly string[], options: SourceOptions): AsyncIterable<SourceRecord>;
}
