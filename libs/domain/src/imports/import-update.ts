import { isDeepStrictEqual } from 'node:util';
import { changeableFields, type Customer } from '../customers/customer.js';

/** The customer to whom an imported line belongs. */
export interface ImportTarget extends Customer {
  /**
   * The `updatedAt` in the last line that an import has applied to the customer; null if there is none, and after
   * Gatehouse has disabled or enabled the customer, or removed a credential.
   */
  importUpdatedAt: Date | null;
  /** The time at which the owner of the email address last removed all earlier access, or null. */
  claimedAt: Date | null;
}

/** The fields that an update import sets, besides times and credentials. */
export const updatableFields = [...changeableFields, 'imageUrl'] as const satisfies (keyof Customer)[];

/** The fields in a line that change an existing customer. */
export interface ImportUpdateLine {
  /** The fields that the line contains. The customer's other fields stay unchanged. */
  fields: Pick<Customer, 'email'> & Partial<Pick<Customer, (typeof updatableFields)[number]>>;
  /** Null for a customer who is not disabled, undefined if the line does not contain the field. */
  disabledAt: Date | null | undefined;
  /** Null if the line contains no time of the last change. */
  updatedAt: Date | null;
  lastLoginAt: Date | null;
  /** Null if the line contains no time at which the customer was created. */
  createdAt: Date | null;
}

/** The changes that an imported line makes to an existing customer. */
export type ImportPlan =
  | {
      /** The customer stays as they are. */
      action: 'keep';
      /** The fields in which the line differs, and that must not be dropped silently. */
      differing: string[];
      /** True if an import has applied this line or a newer one, so that the line contains no newer password. */
      wasApplied: boolean;
    }
  | {
      /** The line belongs to another person, who has the same id in another system. */
      action: 'reject';
      wasApplied: false;
    }
  | {
      action: 'update';
      after: Customer;
      /** The fields that change. */
      changed: string[];
      /** True if the customer was also changed in Gatehouse, before the line. */
      isChangedHere: boolean;
      /** Fields in the line that the customer does not get. */
      kept: string[];
      /** True if an import has applied this line or a newer one, so that the line contains no newer password. */
      wasApplied: boolean;
    };

/** Fields whose values must not be dropped silently, even from an older line. */
const accessFields = new Set(['disabledAt', 'mfa']);
/** Fields that stay as they are once the owner of the email address has claimed the account. */
const claimedFields = ['email', 'emailVerified'] as const;

/** Returns whether Gatehouse has changed the customer since the last import. */
export const isChangedHere = ({ importUpdatedAt, updatedAt }: ImportTarget): boolean =>
  importUpdatedAt?.getTime() !== updatedAt.getTime();

/**
 * Compares an imported line with the customer to whom it belongs (ADR 0104). The newer `updatedAt` wins. A line with
 * the same one, or without one, wins unless the customer was changed in Gatehouse since the last import.
 */
export function planImportUpdate(current: ImportTarget, line: ImportUpdateLine): ImportPlan {
  if (isOtherPerson(current, line)) return { action: 'reject', wasApplied: false };
  const isChanged = isChangedHere(current);
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
  return { ...{ action: 'update', after, changed, kept, wasApplied }, isChangedHere: isChanged };
}

/**
 * Returns whether a line with a customer's externalId or id belongs to another person: systems with numeric ids use the
 * same ones, and an id can be copied. A customer's email address changes, but the time at which a system created the
 * customer does not. Some exports round it.
 */
const isOtherPerson = (current: ImportTarget, { fields, createdAt }: ImportUpdateLine): boolean =>
  createdAt !== null &&
  fields.email !== current.email &&
  Math.abs(createdAt.getTime() - current.createdAt.getTime()) >= 1_000;

function isNewer(current: ImportTarget, { updatedAt }: ImportUpdateLine, isChanged: boolean): boolean {
  if (updatedAt === null) return !isChanged;
  return updatedAt > current.updatedAt || (!isChanged && isSameTime(updatedAt, current.updatedAt));
}

/**
 * Returns whether an import has applied this line, or a newer one. A removal in Gatehouse deletes the last line's time,
 * but `updatedAt` is still the same.
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
  // An email address that was proven in Gatehouse stays proven.
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
