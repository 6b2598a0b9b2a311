import { Injectable } from '@nestjs/common';
import type { Customer, FieldError, ImportLineResult, ProjectContext } from '@gatehouse/domain';
import {
  CustomersBulkRepository,
  EventsRepository,
  FactorsRepository,
  Transactions,
  type CustomerWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { KeyedLock, newId, Keyring } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { identityKey, ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService } from './imported-passkeys.service.js';
import { MAX_ERRORS, type ValidatedLine } from './import-lines.service.js';

type Candidate = Extract<ValidatedLine, { customer: CustomerWithPasswordHash }>;

/** The errors of lines, by the number of the line. */
type LineErrors = Map<number, FieldError[]>;

/** Inserts validated customers into a project, and returns the result of each line. */
@Injectable()
export class ImportWriterService {
  /** Serializes the batches of all imports, so that together they use no more than one connection. */
  private readonly batchLock = new KeyedLock();

  constructor(
    private readonly transactions: Transactions,
    private readonly customers: CustomersBulkRepository,
    private readonly factors: FactorsRepository,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
    private readonly events: EventsRepository,
    private readonly keyring: Keyring,
  ) {}

  /** Runs the transaction of one batch. */
  runBatch<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.batchLock.run('batch', () => this.transactions.run(work));
  }

  /** Inserts the valid lines and rolls back. @returns the results that an import would have */
  async rehearse(project: ProjectContext, lines: ValidatedLine[]): Promise<ImportLineResult[]> {
    let results: ImportLineResult[] = [];
    const work = async (tx: Tx): Promise<never> => {
      results = await this.write(tx, project, lines, false);
      throw new Rollback();
    };
    // A list with an Idempotency-Key is processed in the transaction that also stores its response.
    const rehearsal = this.batchLock.run('batch', () => this.transactions.runInNewTransaction(work));
    await rehearsal.catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
    return results;
  }

  /** Inserts the valid lines. @returns the results of all lines, in their order */
  async write(
    tx: Tx,
    project: ProjectContext,
    lines: ValidatedLine[],
    emitEvents: boolean,
  ): Promise<ImportLineResult[]> {
    const results = new Map<number, ImportLineResult>();
    const created: Customer[] = [];
    for (const group of splitDuplicates(lines.filter(isCandidate))) {
      await this.replaceTakenIds(tx, group);
      const errors = mergeErrors(
        await this.passkeys.findTaken(tx, project, group),
        await this.identities.findErrors(tx, project, group),
      );
      const insertable = group.filter(({ line }) => !errors.has(line));
      const ids = await this.customers.insert(
        tx,
        project.id,
        insertable.map(({ customer }) => customer),
      );
      const inserted = group.filter(({ customer }) => ids.has(customer.id));
      const conflicting = group.filter(({ customer }) => !ids.has(customer.id));
      for (const { line, customer, hasWeakHash } of inserted) {
        results.set(line, { line, status: 'created', customerId: customer.id, errors: [], hasWeakHash });
        created.push(customer);
      }
      await this.insertFactors(tx, inserted);
      await this.passkeys.insert(tx, project, inserted);
      await this.identities.insert(tx, project, inserted);
      for (const result of await this.explainConflicts(tx, project, conflicting, errors))
        results.set(result.line, result);
    }
    if (emitEvents) {
      this.events.record(
        tx,
        created.map((customer) => customerEvent('customer.created', customer, project)),
      );
    }
    return lines.map(
      (validated) =>
        results.get(validated.line) ?? {
          line: validated.line,
          status: 'failed',
          customerId: null,
          errors: 'errors' in validated ? validated.errors : [],
        },
    );
  }

  /** Gives new ids to the customers whose ids are taken, also by customers of other projects. */
  private async replaceTakenIds(tx: Tx, group: Candidate[]): Promise<void> {
    const customers = group.filter(({ hasOwnId }) => hasOwnId).map(({ customer }) => customer);
    if (customers.length === 0) return;
    const taken = await this.customers.findTakenIds(
      tx,
      customers.map(({ id }) => id),
    );
    for (const customer of customers) if (taken.has(customer.id)) customer.id = newId();
  }

  private async insertFactors(tx: Tx, inserted: Candidate[]): Promise<void> {
    const factors = inserted.flatMap(({ customer: { id: customerId }, totpSecret }) =>
      totpSecret
        ? [{ id: newId(), customerId, secret: this.keyring.encrypt('totp-secret', customerId, totpSecret) }]
        : [],
    );
    if (factors.length > 0) await this.factors.insertImported(tx, factors);
  }

  private async explainConflicts(
    tx: Tx,
    project: ProjectContext,
    conflicting: Candidate[],
    errors: LineErrors,
  ): Promise<ImportLineResult[]> {
    if (conflicting.length === 0) return [];
    const emails = conflicting.map(({ customer }) => customer.email);
    const taken = await this.customers.findIdsByEmail(tx, project.id, emails);
    return conflicting.map(({ line, customer }) => {
      const customerId = taken.get(customer.email) ?? null;
      return customerId
        ? { line, status: 'skipped', customerId, errors: [emailTakenError] }
        : { line, status: 'failed', customerId, errors: errors.get(line) ?? [externalIdTakenError] };
    });
  }
}

/** Ends the transaction of a rehearsal. */
class Rollback extends Error {}

const isCandidate = (line: ValidatedLine): line is Candidate => 'customer' in line;

/** Returns the errors of both maps, as many of each line as an import stores. */
function mergeErrors(one: LineErrors, other: LineErrors): LineErrors {
  const merged = new Map(one);
  for (const [line, errors] of other)
    merged.set(line, [...(one.get(line) ?? []), ...errors].slice(0, MAX_ERRORS));
  return merged;
}

/**
 * Returns groups in which no id, email address, external id, passkey or identity occurs twice: a duplicate conflicts with the
 * first occurrence in the database, as if the customers were inserted one by one.
 */
function splitDuplicates(candidates: Candidate[]): Candidate[][] {
  const groups: Candidate[][] = [];
  let seen = new Set<string>();
  for (const candidate of candidates) {
    const { id, email, externalId } = candidate.customer;
    const keys = [
      ...[`id ${id}`, `email ${email}`],
      ...(externalId === null ? [] : [`externalId ${externalId}`]),
      ...candidate.passkeys.map(({ credentialId }) => `passkey ${credentialId.toString('hex')}`),
      ...candidate.identities.map((identity) => `identity ${identityKey(identity)}`),
    ];
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
