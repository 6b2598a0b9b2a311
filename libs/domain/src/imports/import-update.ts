import { isDeepStrictEqual } from 'node:util';
import { changeableFields, type Customer } from '../customers/customer.js';

/** The existing customer to whom an imported line belongs. */
export interface ImportTarget extends Customer {
  /**
   * The `updatedAt` of the last line that an import applied to the customer. Null if there is none, or after Gatehouse
   * has disabled or enabled the customer or removed a credential.
   */
  importUpdatedAt: Date | null;
  /** The time at which the owner of the email address last claimed the account, or null. */
  claimedAt: Date | null;
}

/** The fields that an import updates, apart from times and credentials. */
export const updatableFields = [...changeableFields, 'imageUrl'] as const satisfies (keyof Customer)[];

/** The fields of a line that can change an existing customer. */
export interface ImportUpdateLine {
  /** The fields that the line contains. The customer's other fields stay unchanged. */
  fields: Pick<Customer, 'email'> & Partial<Pick<Customer, (typeof updatableFields)[number]>>;
  /** Null for a customer who is not disabled, undefined if the line does not contain the field. */
  disabledAt: Date | null | undefined;
  /** Null if the line does not contain it. */
  updatedAt: Date | null;
  lastLoginAt: Date | null;
  /** Null if the line does not contain it. */
  createdAt: Date | null;
}

/** An imported line's effect on an existing customer. */
export type ImportPlan =
  | {
      /** The customer stays unchanged. */
      action: 'keep';
      /** The fields of the line that differ from the customer and must be reported. */
      differing: string[];
      /** True if an import has applied this line or a newer one, so the line cannot contain a newer password. */
      wasApplied: boolean;
    }
  | {
      /** The line belongs to another person with the same id in another system. */
      action: 'reject';
      wasApplied: false;
    }
  | {
      action: 'update';
      after: Customer;
      /** The fields that change. */
      changed: string[];
      /** True if the customer was also changed in Gatehouse since the last import. */
      isChangedInGatehouse: boolean;
      /** The fields of the line that are not applied. */
      kept: string[];
      /** True if an import has applied this line or a newer one, so the line cannot contain a newer password. */
      wasApplied: boolean;
    };

/** Fields whose differences are reported even for an older line. */
const accessFields = new Set(['disabledAt', 'mfa']);
/** Fields that imports do not change once the email address's owner has claimed the account. */
const claimedFields = ['email', 'emailVerified'] as const;

/** Returns whether Gatehouse has changed the customer since the last import. */
export const isChangedInGatehouse = ({ importUpdatedAt, updatedAt }: ImportTarget): boolean =>
  importUpdatedAt?.getTime() !== updatedAt.getTime();

/**
 * Compares an imported line with its customer (ADR 0104). The newer `updatedAt` wins. If the two are equal, or the line
 * has none, the line wins unless the customer was changed in Gatehouse since the last import.
 */
export function planImportUpdate(current: ImportTarget, line: ImportUpdateLine): ImportPlan {
  if (belongsToOtherUser(current, line)) return { action: 'reject', wasApplied: false };
  const isChanged = isChangedInGatehouse(current);
  const applied = applyLine(current, line, isChanged);
  const fields: string[] = updatableFields.filter((name) => !isDeepStrictEqual(current[name], applied[name]));
  const wasApplied = isApplied(current, line);
  if (!isNewer(current, line, isChanged)) {
    const isBanDifferent =
      line.disabledAt !== undefined && (current.disabledAt === null) !== (line.disabledAt === null);
    const differing = isBanDifferent ? [...fields, 'disabledAt'] : fields;
    const isOlder = wasApplied && current.importUpdatedAt !== null;
    return {
      ...{ action: 'keep', wasApplied },
      differing: isOlder ? differing.filter((name) => accessFields.has(name)) : differing,
    };
  }
  const claimed = current.claimedAt === null ? [] : claimedFields.filter((name) => fields.includes(name));
  const { email, emailVerified } = current;
  const after = claimed.length > 0 ? { ...applied, email, emailVerified } : applied;
  const changed = fields.filter((name) => !(claimed as string[]).includes(name));
  if ((current.disabledAt === null) !== (after.disabledAt === null)) changed.push('disabledAt');
  const { externalId } = line.fields;
  const kept = [
    ...claimed,
    ...(line.disabledAt === null && after.disabledAt !== null ? ['disabledAt'] : []),
    ...(externalId !== undefined && externalId !== after.externalId ? ['externalId'] : []),
  ];
  return { ...{ action: 'update', after, changed, kept, wasApplied }, isChangedInGatehouse: isChanged };
}

/**
 * Returns whether a line with the `externalId` or id of a customer belongs to another person. Two systems with numeric
 * ids can assign the same id, and an id can be copied. A customer's email address can change, but not their creation
 * time in the source system. Some exports round it, so differences of less than a second are ignored.
 */
const belongsToOtherUser = (current: ImportTarget, { fields, createdAt }: ImportUpdateLine): boolean =>
  createdAt !== null &&
  fields.email !== current.email &&
  Math.abs(createdAt.getTime() - current.createdAt.getTime()) >= 1_000;

function isNewer(current: ImportTarget, { updatedAt }: ImportUpdateLine, isChanged: boolean): boolean {
  if (updatedAt === null) return !isChanged;
  return updatedAt > current.updatedAt || (!isChanged && isSameTime(updatedAt, current.updatedAt));
}

/**
 * Returns whether an import has applied this line or a newer one. Removing a credential in Gatehouse clears
 * `importUpdatedAt` but does not change `updatedAt`.
 */
const isApplied = (
  { importUpdatedAt, updatedAt: current }: ImportTarget,
  { updatedAt }: ImportUpdateLine,
): boolean =>
  updatedAt !== null &&
  (importUpdatedAt === null ? isSameTime(updatedAt, current) : updatedAt <= importUpdatedAt);

const isSameTime = (one: Date, other: Date): boolean => one.getTime() === other.getTime();

function applyLine(current: ImportTarget, line: ImportUpdateLine, isChanged: boolean): Customer {
  const { importUpdatedAt: _, claimedAt: __, ...customer } = current;
  const { fields, disabledAt, lastLoginAt } = line;
  // An email address that is already verified stays verified.
  const wasVerified = fields.email === customer.email && customer.emailVerified;
  return {
    ...customer,
    ...fields,
    emailVerified: wasVerified || (fields.emailVerified ?? false),
    externalId: customer.externalId ?? fields.externalId ?? null,
    disabledAt: applyBan(customer.disabledAt, disabledAt, isChanged),
    updatedAt: line.updatedAt ?? customer.updatedAt,
    lastLoginAt: latest(customer.lastLoginAt, lastLoginAt),
  };
}

function applyBan(
  current: Date | null,
  disabledAt: Date | null | undefined,
  isChanged: boolean,
): Date | null {
  if (disabledAt) return current ?? disabledAt;
  // Gatehouse may have disabled the customer itself.
  return disabledAt === undefined || isChanged ? current : null;
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one && other && one > other ? one : (other ?? one);
