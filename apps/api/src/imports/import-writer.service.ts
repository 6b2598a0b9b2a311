import { Injectable } from '@nestjs/common';
import type { Customer, ImportLineResult, ProjectContext } from '@gatehouse/domain';
import {
  CustomersBulkRepository,
  EventsRepository,
  type CustomerWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { customerEvent } from '../events/customer-events.js';
import type { ValidatedLine } from './import-lines.service.js';

type Candidate = { line: number; customer: CustomerWithPasswordHash; hasWeakHash: boolean };

/** Inserts validated customers into a project, and returns the result of each line. */
@Injectable()
export class ImportWriterService {
  constructor(
    private readonly customers: CustomersBulkRepository,
    private readonly events: EventsRepository,
  ) {}

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
      const inserted = await this.customers.insert(
        tx,
        project.id,
        group.map(({ customer }) => customer),
      );
      const conflicting = group.filter(({ customer }) => !inserted.has(customer.id));
      for (const { line, customer, hasWeakHash } of group) {
        if (!inserted.has(customer.id)) continue;
        results.set(line, { line, status: 'created', customerId: customer.id, errors: [], hasWeakHash });
        created.push(customer);
      }
      for (const result of await this.explainConflicts(tx, project, conflicting))
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

  private async explainConflicts(
    tx: Tx,
    project: ProjectContext,
    conflicting: Candidate[],
  ): Promise<ImportLineResult[]> {
    if (conflicting.length === 0) return [];
    const emails = conflicting.map(({ customer }) => customer.email);
    const taken = await this.customers.findIdsByEmail(tx, project.id, emails);
    return conflicting.map(({ line, customer }) => {
      const customerId = taken.get(customer.email) ?? null;
      return customerId
        ? { line, status: 'skipped', customerId, errors: [emailTakenError] }
        : { line, status: 'failed', customerId, errors: [externalIdTakenError] };
    });
  }
}

const isCandidate = (line: ValidatedLine): line is Candidate => 'customer' in line;

/**
 * Returns groups in which no email address and no external id occurs twice: a duplicate conflicts with the
 * first occurrence in the database, as if the customers were inserted one by one.
 */
function splitDuplicates(candidates: Candidate[]): Candidate[][] {
  const groups: Candidate[][] = [];
  let [emails, externalIds] = [new Set<string>(), new Set<string>()];
  for (const candidate of candidates) {
    const { email, externalId } = candidate.customer;
    if (groups.length === 0 || emails.has(email) || (externalId !== null && externalIds.has(externalId))) {
      groups.push([]);
      [emails, externalIds] = [new Set(), new Set()];
    }
    groups.at(-1)!.push(candidate);
    emails.add(email);
    if (externalId !== null) externalIds.add(externalId);
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
