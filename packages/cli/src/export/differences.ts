import type { JsonObject } from '../json-object.js';
import type { Difference, ExportedCustomer, ExportTarget, Reason, TargetOptions } from './target.js';

/** Reasons that several targets share. */
export const NO_TIME: Reason = {
  reason: 'The system sets this time itself when it imports the user',
  remedy: 'Keep an export in the format of Gatehouse if you need the time',
};
export const NO_DISABLED_TIME: Reason = {
  reason: 'The user is disabled, but the system does not store the time',
  remedy: 'Keep an export in the format of Gatehouse if you need the time',
};
export const NO_MFA_REQUIREMENT: Reason = {
  reason: 'An import into the system cannot require a second factor for a single user',
  remedy: 'Require a second factor in the settings of the system',
};
export const NO_PASSKEYS: Reason = {
  reason: 'The files that the system accepts contain no passkeys',
  remedy: 'Ask the customer to sign in with another method and add a passkey',
};
export const NO_IMAGE: Reason = {
  reason: 'The system takes images only from accounts at identity providers',
  remedy: 'The system reads the image at the next sign-in with a provider',
};
export const NO_PROVIDER: Reason = {
  reason: 'The name of this identity provider in the system is unknown',
  remedy: 'Pass --provider <slug>=<name> to export the identities',
};

/** Collects the values that the other system does not receive, or receives in another form. */
export class Differences {
  readonly list: Difference[] = [];

  leaveOut(field: string, { reason, remedy }: Reason): this {
    this.list.push({ result: 'left_out', field, reason, remedy });
    return this;
  }

  change(field: string, { reason, remedy }: Reason): this {
    this.list.push({ result: 'changed', field, reason, remedy });
    return this;
  }

  /** Leaves out the fields that have a value. */
  leaveOutIfSet(customer: ExportedCustomer, fields: Partial<Record<keyof ExportedCustomer, Reason>>): this {
    for (const [field, reason] of Object.entries(fields))
      if (hasValue(customer[field as keyof ExportedCustomer])) this.leaveOut(field, reason);
    return this;
  }
}

/** Returns the conversion of a target that writes one JSON object per customer. */
export const toJson =
  (
    toRecord: (customer: ExportedCustomer, options: TargetOptions, differences: Differences) => JsonObject,
  ): ExportTarget['convert'] =>
  (customer, options) => {
    const differences = new Differences();
    const record = toRecord(customer, options, differences);
    return { records: [[JSON.stringify(record)]], differences: differences.list };
  };

/** Returns true if a field has a value other than its default. */
const hasValue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== 'inherit';

/** Returns true if metadata has an entry. */
export const hasEntries = (metadata: JsonObject): boolean => Object.keys(metadata).length > 0;

/** An identity with its provider's name in the other system. */
export interface NamedIdentity {
  provider: string;
  subject: string;
}

/** Returns the identities whose providers have a name in the other system. The others are left out. */
export function convertIdentities(
  { identities }: ExportedCustomer,
  { providers }: TargetOptions,
  differences: Differences,
  unknown: (slug: string) => Reason = () => NO_PROVIDER,
): NamedIdentity[] {
  const named: NamedIdentity[] = [];
  for (const { provider, subject } of identities ?? []) {
    const name = providers.get(provider);
    if (name === undefined) differences.leaveOut(`identity ${provider}`, unknown(provider));
    else named.push({ provider: name, subject });
  }
  return named;
}

export const RESERVED_NAME: Reason = {
  reason: 'The system uses this name for its own data',
  remedy: 'Rename the entry in Gatehouse before the export',
};

/**
 * Copies metadata, and leaves out the entries that the other system does not accept.
 * @param field the metadata's name in Gatehouse
 * @param check returns the reason why the system does not accept an entry, or null
 */
export function copyMetadata(
  field: 'metadata' | 'publicMetadata',
  metadata: JsonObject,
  check: (name: string, value: unknown) => Reason | null,
  differences: Differences,
): JsonObject {
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    const problem = check(name, value);
    if (problem) differences.leaveOut(`${field}.${name}`, problem);
    else copy[name] = value;
  }
  return copy;
}

/** Adds a field's value to the metadata, unless the metadata contains a different value with this name. */
export function addEntry(
  metadata: JsonObject,
  name: string,
  { field, value, change }: { field: string; value: string | null; change: Reason },
  differences: Differences,
): void {
  if (value === null) return;
  if (!Object.hasOwn(metadata, name)) {
    metadata[name] = value;
    differences.change(field, change);
  } else if (metadata[name] !== value)
    differences.leaveOut(field, {
      reason: 'The system has no such field, and the metadata contains a different value with this name',
      remedy: 'Rename the entry in Gatehouse before the export',
    });
}
