import type { ImportedCustomer } from '@gatehouse/server';
import type { Reason } from './reasons.js';

export type { ImportedCustomer };

/** A value that an import does not move, or the reason why a customer cannot be imported. */
export interface LeftOut extends Reason {
  /** The field's name in the other system's files; empty for an entire record. */
  field: string;
}

/** One user in the other system. */
export interface SourceRecord {
  /** The record's position, for reports: the file name with the line or the index, such as `users.csv:17`. */
  position: string;
  /** The user's id in the other system, for reports; null if the record has none. */
  sourceId: string | null;
  /**
   * The customer, or null if the record cannot be imported; `leftOut` then contains the reason. `identities` name
   * providers as the other system does: the command replaces the names by slugs.
   */
  customer: ImportedCustomer | null;
  leftOut: LeftOut[];
  /**
   * True if the system or the file does not state the user's ban state. An update then does not enable the customer.
   */
  isBanUnknown?: boolean;
}

/** One source's option, as commander declares it. */
export interface SourceOption {
  /** Such as `--hash-config <file>`. */
  flags: string;
  description: string;
  /** True for an option that can be passed several times. */
  isRepeatable?: boolean;
}

export interface SourceOptions {
  /**
   * The values for the source's `options` by their names in camel case, such as `hashConfig`; file paths are absolute.
   */
  values: Readonly<Record<string, string | undefined>>;
  /** The values for repeatable options by their names. */
  lists?: Readonly<Record<string, readonly string[] | undefined>>;
  /**
   * Notifies the user about a problem that concerns all records, such as a missing file. Equal notes are printed once.
   */
  note?: (text: string) => Promise<void>;
}

/** Reads another system's export. */
export interface ImportSource {
  /** The value for `--from`. */
  readonly name: string;
  /** The files that the source reads, for the help. */
  readonly files: string;
  /** The identity providers' usual slugs, by their names in the other system. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  /**
   * The reasons why providers' identities never match an account at Gatehouse, by their names in the other system. An
   * entry `saml` also stands for `saml:acme` and `saml.acme`. `--provider` cannot override them.
   */
  readonly unusableProviders?: Readonly<Record<string, Reason>>;
  readonly options?: readonly SourceOption[];
  /**
   * Returns one record for each user, in an order and with contents that depend on the files and options alone: an
   * interrupted import continues only if the same lines are sent again.
   * @throws CliError if the files cannot be read or are not in the format
   */
  read(files: readonly string[], options: SourceOptions): AsyncIterable<SourceRecord>;
}
