import type { ImportedCustomer } from '@gatehouse/server';
import type { Reason } from './reasons.js';

export type { ImportedCustomer };

/** Something that an import does not move, or the reason why a customer cannot be imported. */
export interface LeftOut extends Reason {
  /** The name of the field in the files of the other system; empty for an entire record. */
  field: string;
}

/** One user of the other system. */
export interface SourceRecord {
  /** The position of the record, for reports: the name of the file with the line or the index, such as `users.csv:17`. */
  position: string;
  /** Id of the user in the other system, for reports; null if the record has none. */
  sourceId: string | null;
  /**
   * The customer, or null if the record cannot be imported; `leftOut` then contains the reason. `identities` name
   * providers as the other system does: the command replaces the names by slugs.
   */
  customer: ImportedCustomer | null;
  leftOut: LeftOut[];
  /** True if the system or the file does not state whether the user is banned. An update then does not enable the customer. */
  isBanUnknown?: boolean;
}

/** An option of one source, as commander declares it. */
export interface SourceOption {
  /** Such as `--hash-config <file>`. */
  flags: string;
  description: string;
  /** True for an option that can be passed several times. */
  isRepeatable?: boolean;
}

export interface SourceOptions {
  /** The values of `options` of the source by their names in camel case, such as `hashConfig`; the paths of files are absolute. */
  values: Readonly<Record<string, string | undefined>>;
  /** The values of repeatable options by their names. */
  lists?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Tells the user something that concerns all records, such as a missing file. Equal notes are printed once. */
  note?: (text: string) => Promise<void>;
}

/** Reads the export of another system. */
export interface ImportSource {
  /** The value of `--from`. */
  readonly name: string;
  /** The files that the source reads, for the help. */
  readonly files: string;
  /** The usual slugs of identity providers, by their names in the other system. `--provider` overrides them. */
  readonly providers: Readonly<Record<string, string>>;
  /**
   * The reasons why identities of providers never match an account at Gatehouse, by their names in the other system. An entry
   * `saml` also stands for `saml:acme` and `saml.acme`. `--provider` cannot override them.
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
