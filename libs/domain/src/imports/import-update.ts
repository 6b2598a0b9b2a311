import { isDeepStrictEqual } from 'node:util';
import { changeableFields, type ChangeableCustomer, type Customer } from '../customers/customer.js';

/** A customer to whom a line of an import belongs. */
export interface ImportTarget extends Customer {
  /** The `updatedAt` of the last line that an import has applied to the customer; null if there is none. */
  importUpdatedAt: Date | null;
  /** True if a value of that line was left out, so that the same line can add it. */
  importIncomplete: boolean;
}

/** The fields of a line that change an existing customer. */
export interface ImportUpdateLine {
  /** The fields that the line contains. The others of the customer stay. */
  fields: Pick<ChangeableCustomer, 'email'> & Partial<ChangeableCustomer>;
  /** Null for a customer who is not disabled, undefined if the line does not contain the field. */
  disabledAt: Date | null | undefined;
  /** Null if the line contains no time of the last change. */
  updatedAt: Date | null;
  lastLoginAt: Date | null;
}

/** What a line of an import changes of an existing customer. */
export type ImportPlan =
  | {
      /** The customer stays as they are. */
      action: 'keep';
      /** True if the customer was changed in Gatehouse since, and the line was not applied before. */
      isConflict: boolean;
      /** The fields in which the line differs. */
      differing: string[];
    }
  | {
      action: 'update';
      after: Customer;
      /** The fields that change. */
      changed: string[];
      /** True if the customer was also changed in Gatehouse, before the line. */
      isChangedHere: boolean;
      /** Fields of the line that the customer does not get. */
      kept: string[];
    };

/**
 * Compares a line of an import with the customer to whom it belongs (ADR 0104). The newer `updatedAt` wins. A line without
 * one wins unless the customer was changed in Gatehouse since the last import.
 */
export function planImportUpdate(current: ImportTarget, line: ImportUpdateLine): ImportPlan {
  const isChangedHere = current.importUpdatedAt?.getTime() !== current.updatedAt.getTime();
  const after = applyLine(current, line, isChangedHere);
  const changed: string[] = changeableFields.filter((name) => !isDeepStrictEqual(current[name], after[name]));
  if (!isNewer(current, line, isChangedHere)) {
    const isBanDifferent =
      line.disabledAt !== undefined && (current.disabledAt === null) !== (line.disabledAt === null);
    const differing = isBanDifferent ? [...changed, 'disabledAt'] : changed;
    return { action: 'keep', isConflict: !wasApplied(current, line), differing };
  }
  if ((current.disabledAt === null) !== (after.disabledAt === null)) changed.push('disabledAt');
  const kept = [
    ...(line.disabledAt === null && after.disabledAt !== null ? ['disabledAt'] : []),
    ...(line.fields.externalId && line.fields.externalId !== after.externalId ? ['externalId'] : []),
  ];
  return { action: 'update', after, changed, isChangedHere, kept };
}

function isNewer(current: ImportTarget, { updatedAt }: ImportUpdateLine, isChangedHere: boolean): boolean {
  if (updatedAt === null) return !isChangedHere;
  if (updatedAt > current.updatedAt) return true;
  const isSame = updatedAt.getTime() === current.updatedAt.getTime();
  return isSame && !isChangedHere && current.importIncomplete;
}

/** Returns whether an import has applied this line, or a newer one. */
const wasApplied = ({ importUpdatedAt }: ImportTarget, { updatedAt }: ImportUpdateLine): boolean =>
  updatedAt !== null && importUpdatedAt !== null && updatedAt <= importUpdatedAt;

function applyLine(current: ImportTarget, line: ImportUpdateLine, isChangedHere: boolean): Customer {
  const { importUpdatedAt: _, importIncomplete: __, ...customer } = current;
  const { fields, disabledAt, lastLoginAt } = line;
  // An address that was proven here stays proven.
  const wasVerified = fields.email === customer.email && customer.emailVerified;
  return {
    ...customer,
    ...fields,
    emailVerified: wasVerified || (fields.emailVerified ?? false),
    externalId: customer.externalId ?? fields.externalId ?? null,
    disabledAt: applyBan(customer.disabledAt, disabledAt, isChangedHere),
    updatedAt: line.updatedAt ?? customer.updatedAt,
    lastLoginAt: latest(customer.lastLoginAt, lastLoginAt),
  };
}

function applyBan(
  current: Date | null,
  disabledAt: Date | null | undefined,
  isChangedHere: boolean,
): Date | null {
  if (disabledAt) return current ?? disabledAt;
  // Gatehouse may have disabled the customer itself.
  return disabledAt === undefined || isChangedHere ? current : null;
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one && other && one > other ? one : (other ?? one);
