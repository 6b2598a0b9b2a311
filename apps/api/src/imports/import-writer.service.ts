import { Injectable } from '@nestjs/common';
import type { Customer, FieldError, ImportLineResult, ProjectContext } from '@gatehouse/domain';
import {
  CustomersBulkRepository,
  TokenSubjectsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { isNewHashFormat, KeyedLock, newId } from '@gatehouse/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { RunningApisService } from '../running-apis/running-apis.service.js';
import { noSeenValues, type SeenValues, type UniqueValues } from './seen-values.js';
import { ImportAdditionsService } from './import-additions.service.js';
import { identityKey, ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService, passkeyKey } from './imported-passkeys.service.js';
import { ImportUpdatesService } from './import-updates.service.js';
import type { Candidate, ValidatedLine } from './import-lines.service.js';
import { limitWarnings } from './omitted-values.js';
import { emailKey, externalIdKey, idKey } from './unique-keys.js';

export interface WriteOptions {
  emitEvents: boolean;
  /** True to update the customers that the lines identify. */
  update: boolean;
}

/** Writes validated customers to a project, and returns the result for each line. */
@Injectable()
export class ImportWriterService {
  /** Serializes the batches of all imports, so that together they use at most one connection. */
  private readonly batchLock = new KeyedLock();

  constructor(
    private readonly transactions: Transactions,
    private readonly customers: CustomersBulkRepository,
    private readonly accounts: AccountsService,
    private readonly additions: ImportAdditionsService,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
    private readonly updates: ImportUpdatesService,
    private readonly apis: RunningApisService,
    private readonly subjects: TokenSubjectsRepository,
  ) {}

  /** Runs the transaction of one batch. */
  runBatch<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.batchLock.run('batch', () => this.transactions.join(work));
  }

  /**
   * Writes the valid lines and rolls back.
   * @param seen the unique values of earlier lines, to which the values of these lines are added
   * @returns the results that an import would return
   */
  async writeAndRollBack(
    project: ProjectContext,
    lines: ValidatedLine[],
    update: boolean,
    seen: UniqueValues,
  ): Promise<ImportLineResult[]> {
    let results: ImportLineResult[] = [];
    const work = async (tx: Tx): Promise<never> => {
      results = await this.write(tx, project, lines, { emitEvents: false, update }, seen);
      throw new Rollback();
    };
    // oxlint-disable-next-line gatehouse/joined-transactions -- only a dry run rolls back
    const batch = this.batchLock.run('batch', () => this.transactions.run(work));
    await batch.catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
    const resultsByLine = new Map(results.map((result) => [result.line, result]));
    for (const candidate of lines.filter(isCandidate))
      for (const key of storedKeys(candidate, resultsByLine.get(candidate.line)!)) seen.add(key);
    return results;
  }

  /**
   * Writes the valid lines.
   * @param seen earlier lines that are not stored. Default: none
   * @returns the results for all lines, in order
   * @throws GatehouseError `conflict` for a password hash that an older API process cannot verify
   */
  async write(
    tx: Tx,
    project: ProjectContext,
    lines: ValidatedLine[],
    { emitEvents, update }: WriteOptions,
    seen: SeenValues = noSeenValues,
  ): Promise<ImportLineResult[]> {
    if (lines.some(hasNewHashFormat)) await this.apis.assertNoOlderApi(tx, 'password hash');
    const results = new Map<number, ImportLineResult>();
    for (const group of splitDuplicates(lines.filter(isCandidate))) {
      const { results: updated, others } = update
        ? await this.updates.update(tx, project, group, { emitEvents, seen })
        : { results: [], others: group };
      const { inserted, conflicting } = await this.insert(tx, project, others, { emitEvents, seen });
      for (const result of [
        ...updated,
        ...inserted.map(toCreated),
        ...(await this.explainConflicts(tx, project, conflicting, seen)),
      ])
        results.set(result.line, result);
    }
    return lines.map(
      (validated) =>
        results.get(validated.line) ?? {
          line: validated.line,
          status: 'failed',
          customerId: null,
          errors: 'errors' in validated ? validated.errors : [],
          warnings: [],
        },
    );
  }

  /**
   * Inserts the customers whose email addresses and external ids are free, without the passkeys and identities that
   * cannot be added.
   */
  private async insert(
    tx: Tx,
    project: ProjectContext,
    group: Candidate[],
    { emitEvents, seen }: { emitEvents: boolean; seen: SeenValues },
  ): Promise<{ inserted: Candidate[]; conflicting: Candidate[] }> {
    if (group.length === 0) return { inserted: [], conflicting: [] };
    await this.replaceTakenIds(tx, project, group);
    await this.passkeys.omitTaken(tx, project, group, seen);
    await this.identities.omitUnusable(tx, project, group, seen);
    const otherIds = await this.findOtherIds(tx, project, group);
    const insertable = group.filter(
      ({ customer }) =>
        !seen.has(emailKey(customer)) &&
        !seen.has(externalIdKey(customer)) &&
        !seen.has(idKey(customer.externalId)) &&
        !otherIds.has(customer.externalId),
    );
    const ids = await this.accounts.createAll(
      tx,
      project,
      insertable.map(({ customer }) => customer),
      emitEvents,
    );
    const inserted = group.filter(({ customer }) => ids.has(customer.id));
    await this.additions.insertFactors(tx, inserted);
    await this.passkeys.insert(tx, project, inserted);
    await this.identities.insert(tx, project, inserted);
    return { inserted, conflicting: group.filter(({ customer }) => !ids.has(customer.id)) };
  }

  /**
   * Returns the external ids that are another customer's id, and can therefore be the `sub` in that customer's tokens.
   */
  private findOtherIds(
    tx: Tx,
    project: ProjectContext,
    group: Candidate[],
  ): Promise<ReadonlySet<string | null>> {
    // A customer may use their own id as external id.
    const externalIds = group.flatMap(({ customer: { id, externalId } }) =>
      id === externalId ? [] : [externalId],
    );
    return this.subjects.findCustomerIds(tx, project.id, externalIds);
  }

  /** Assigns new ids to customers whose ids are taken, even by a customer in another project or as an external id. */
  private async replaceTakenIds(tx: Tx, project: ProjectContext, group: Candidate[]): Promise<void> {
    const customers = group.filter(({ specifiesId }) => specifiesId).map(({ customer }) => customer);
    if (customers.length === 0) return;
    const taken = await this.customers.findTakenIds(tx, project.id, customers);
    for (const customer of customers) if (taken.has(customer.id)) customer.id = newId();
  }

  private async explainConflicts(
    tx: Tx,
    project: ProjectContext,
    conflicting: Candidate[],
    seen: SeenValues,
  ): Promise<ImportLineResult[]> {
    if (conflicting.length === 0) return [];
    const emails = conflicting.map(({ customer }) => customer.email);
    const taken = await this.customers.findIdsByEmail(tx, project.id, emails);
    const otherIds = await this.findOtherIds(tx, project, conflicting);
    return conflicting.map(({ line, customer }) => {
      const customerId = taken.get(customer.email) ?? null;
      return customerId !== null || seen.has(emailKey(customer))
        ? { line, status: 'skipped', customerId, errors: [emailTakenError], warnings: [] }
        : {
            line,
            status: 'failed',
            customerId,
            errors: [toExternalIdError(customer, otherIds)],
            warnings: [],
          };
    });
  }
}

const hasNewHashFormat = (line: ValidatedLine): boolean =>
  isCandidate(line) &&
  line.customer.passwordHash !== null &&
  isNewHashFormat(line.input.passwordHash ?? 'v1$');

/** Thrown to roll back the transaction of a dry run. */
class Rollback extends Error {}

const isCandidate = (line: ValidatedLine): line is Candidate => 'customer' in line;

const toCreated = ({ line, customer, warnings, hasWeakHash }: Candidate): ImportLineResult => ({
  line,
  status: 'created',
  customerId: customer.id,
  errors: [],
  warnings: limitWarnings(warnings),
  hasWeakHash,
});

/**
 * Returns the keys to compare later lines with: the customer and the unique values that an import would have stored.
 */
function storedKeys(candidate: Candidate, { status, customerId }: ImportLineResult): string[] {
  const { id } = candidate.customer;
  // Even if the line changes no values, its time may have been stored for the customer.
  if (status === 'skipped' && customerId === id) return [idKey(id)];
  if (status === 'updated') return [idKey(id), ...uniqueKeys(candidate)];
  if (status !== 'created') return [];
  return [...(candidate.specifiesId ? [idKey(id)] : []), ...uniqueKeys(candidate)];
}

/** Returns the values, apart from the id, that must be unique in the project. */
const uniqueKeys = ({ customer, passkeys, identities }: Candidate): string[] => [
  emailKey(customer),
  ...(customer.externalId === null ? [] : [externalIdKey(customer)]),
  ...passkeys.map(passkeyKey),
  ...identities.map(identityKey),
];

/**
 * Splits the candidates into groups in which no id, email address, external id, passkey or identity occurs twice, and
 * no external id equals an id. A duplicate then conflicts with the first occurrence in the database, as if the
 * customers were inserted one by one.
 */
function splitDuplicates(candidates: Candidate[]): Candidate[][] {
  const groups: Candidate[][] = [];
  let seen = new Set<string>();
  for (const candidate of candidates) {
    const { id, externalId } = candidate.customer;
    const keys = [idKey(id), ...(externalId === null ? [] : [idKey(externalId)]), ...uniqueKeys(candidate)];
    if (groups.length === 0 || keys.some((key) => seen.has(key))) {
      groups.push([]);
      seen = new Set();
    }
    groups.at(-1)!.push(candidate);
    for (const key of keys) seen.add(key);
  }
  return groups;
}

const emailTakenError = {
  field: 'email',
  code: 'email_already_registered',
  message: 'email already belongs to a customer of this project',
};

const externalIdTakenError = {
  field: 'externalId',
  code: 'external_id_taken',
  message: 'externalId already belongs to another customer of this project',
};

/**
 * @param otherIds external ids that are another customer's id
 */
const toExternalIdError = ({ externalId }: Customer, otherIds: ReadonlySet<string | null>): FieldError => {
  if (!otherIds.has(externalId)) return externalIdTakenError;
  const message =
    'externalId is the id of another customer of this project, and can be the sub of their tokens';
  return { ...externalIdTakenError, message };
};
