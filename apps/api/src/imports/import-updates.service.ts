import { Injectable } from '@nestjs/common';
import {
  changeableFields,
  pickDefined,
  isChangedInGatehouse,
  newCustomer,
  planImportUpdate,
  type FieldError,
  type ImportLineResult,
  type ImportPlan,
  type ImportUpdateLine,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersBulkRepository,
  ImportTargetsRepository,
  TokenSubjectsRepository,
  type ImportTargetUpdate,
  type StoredImportTarget,
  type Tx,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { parseTime } from '../http/input/time-field.js';
import type { ImportedCustomer } from './dto/import.request.js';
import type { SeenValues } from './seen-values.js';
import { ImportAdditionsService, type Additions } from './import-additions.service.js';
import type { Candidate } from './import-lines.service.js';
import { ImportUpdateEffectsService, type AppliedUpdate } from './import-update-effects.service.js';
import { limitErrors, limitWarnings } from './omitted-values.js';
import { emailKey, externalIdKey, idKey } from './unique-keys.js';
import {
  conflictError,
  earlierLineError,
  emailTakenWarning,
  keptWarning,
  nothingAppliedError,
  notNewerError,
  otherIdWarning,
  otherUserError,
  replacedWarning,
  subjectWarning,
  unchangedError,
} from './update-messages.js';

/** A line and the customer that it belongs to. */
interface Match {
  candidate: Candidate;
  target: StoredImportTarget;
  plan: ImportPlan;
}

/** The lines of a group, by how they match existing customers. */
interface Matches {
  matches: Match[];
  /** Lines that belong to the same customer as an earlier match. */
  repeated: Candidate[];
  /** Lines that belong to a customer whom an earlier, unstored line creates or changes. */
  dependent: Candidate[];
  /** Lines that do not belong to any customer. */
  others: Candidate[];
}

interface UpdateOptions {
  emitEvents: boolean;
  /** Earlier lines that are not stored. */
  seen: SeenValues;
}

type Update = Match & { plan: Extract<ImportPlan, { action: 'update' }> };

/** Updates existing customers with an import's lines (ADR 0104). */
@Injectable()
export class ImportUpdatesService {
  constructor(
    private readonly targets: ImportTargetsRepository,
    private readonly customers: CustomersBulkRepository,
    private readonly subjects: TokenSubjectsRepository,
    private readonly additions: ImportAdditionsService,
    private readonly effects: ImportUpdateEffectsService,
  ) {}

  /**
   * Updates the customers that the lines identify by id or external id.
   * @returns the results for these lines, and the lines that do not belong to any customer
   */
  async update(
    tx: Tx,
    project: ProjectContext,
    group: Candidate[],
    options: UpdateOptions,
  ): Promise<{ results: ImportLineResult[]; others: Candidate[] }> {
    const { matches, repeated, dependent, others } = await this.match(tx, project, group, options.seen);
    const results = await this.apply(tx, project, matches, options);
    results.push(...dependent.map(toDependent));
    if (repeated.length > 0) results.push(...(await this.update(tx, project, repeated, options)).results);
    return { results, others };
  }

  /** Finds and locks the customers. */
  private async match(
    tx: Tx,
    { id: projectId }: ProjectContext,
    group: Candidate[],
    seen: SeenValues,
  ): Promise<Matches> {
    const found: Matches = { matches: [], repeated: [], dependent: [], others: [] };
    const externalIds = group.flatMap(({ customer }) => customer.externalId ?? []);
    const ids = group.flatMap(({ customer, specifiesId }) => (specifiesId ? [customer.id] : []));
    if (externalIds.length + ids.length === 0) return { ...found, others: group };
    const targets = await this.targets.lock(tx, projectId, { externalIds, ids });
    const byExternalId = new Map(targets.map((target) => [target.externalId, target]));
    const byId = new Map(targets.map((target) => [target.id, target]));
    const matched = new Set<StoredImportTarget>();
    for (const candidate of group) {
      const { customer, specifiesId, input } = candidate;
      const keys = [externalIdKey(customer), ...(specifiesId ? [idKey(customer.id)] : [])];
      const target =
        (customer.externalId === null ? undefined : byExternalId.get(customer.externalId)) ??
        (specifiesId && !seen.has(keys[0]!) ? byId.get(customer.id) : undefined);
      if (target ? seen.has(idKey(target.id)) : keys.some((key) => seen.has(key)))
        found.dependent.push(candidate);
      else if (!target) found.others.push(candidate);
      else if (matched.has(target)) found.repeated.push(candidate);
      else {
        matched.add(target);
        found.matches.push({ candidate, target, plan: planImportUpdate(target, toUpdateLine(input)) });
      }
    }
    return found;
  }

  private async apply(
    tx: Tx,
    project: ProjectContext,
    matches: Match[],
    { emitEvents, seen }: UpdateOptions,
  ): Promise<ImportLineResult[]> {
    if (matches.length === 0) return [];
    for (const { candidate, target } of matches) candidate.customer.id = target.id;
    const additions = await this.additions.find(tx, project, matches, seen);
    const updates = matches.filter(isUpdate);
    await this.keepTakenEmails(tx, project, updates, seen);
    await this.keepSubjects(tx, project, updates);
    const results: ImportLineResult[] = [];
    const rows: ImportTargetUpdate[] = [];
    const applied: Omit<AppliedUpdate, 'factor'>[] = [];
    for (const match of matches) {
      const added = additions.get(match.candidate)!;
      if (!isUpdate(match)) {
        results.push(toResult(match, 'skipped', unappliedLineErrors(match, added)));
        continue;
      }
      const { candidate } = match;
      candidate.warnings.push(...updateWarnings(match), ...added.warnings);
      const changed = [...match.plan.changed, ...added.names];
      if (changed.length === 0) {
        const error = candidate.warnings.length > 0 ? nothingAppliedError : unchangedError;
        results.push(toResult(match, 'skipped', [error]));
        // Stores the newer time, so that an older line with different values is not applied later.
        if (error === unchangedError && hasNewerTime(match)) rows.push(toRow(match, added));
        continue;
      }
      const row = toRow(match, added);
      rows.push(row);
      const { email, externalId } = row;
      Object.assign(candidate.customer, { email, externalId });
      applied.push({ before: match.target, after: row, changed, added });
      const hasWeakHash = candidate.hasWeakHash && added.passwordHash !== null;
      results.push({ ...toResult(match, 'updated', []), hasWeakHash });
    }
    if (rows.length === 0) return results;
    await this.targets.update(tx, project.id, rows);
    const factors = await this.additions.insert(
      tx,
      project,
      applied.map(({ added }) => added),
    );
    const recorded = applied.map((update) => ({ ...update, factor: factors.get(update.after.id) }));
    await this.effects.record(tx, project, recorded, emitEvents);
    return results;
  }

  /**
   * Keeps the external id of customers who have signed in with the current `sub` in their tokens, and of customers
   * whose new external id can be another customer's `sub` (ADR 0105).
   */
  private async keepSubjects(
    tx: Tx,
    { id: projectId, settings }: ProjectContext,
    updates: Update[],
  ): Promise<void> {
    const changing = updates.filter(({ plan }) => plan.changed.includes('externalId'));
    if (changing.length === 0) return;
    const externalIds = changing.map(({ plan }) => plan.after.externalId);
    const ids = changing.map(({ target }) => target.id);
    const others = await this.subjects.findCustomerIds(tx, projectId, externalIds);
    const used =
      settings.tokenSubject === 'externalId'
        ? await this.subjects.listUsed(tx, projectId, ids)
        : new Set<string>();
    for (const { candidate, target, plan } of changing) {
      const { externalId } = plan.after;
      const isOther = externalId !== null && externalId !== target.id && others.has(externalId);
      if (!isOther && !used.has(target.id)) continue;
      plan.after = { ...plan.after, externalId: target.externalId };
      plan.changed = plan.changed.filter((name) => name !== 'externalId');
      candidate.warnings.push(isOther ? otherIdWarning : subjectWarning);
    }
  }

  /** Keeps the email address if another customer has the new one. */
  private async keepTakenEmails(
    tx: Tx,
    { id }: ProjectContext,
    updates: Update[],
    seen: SeenValues,
  ): Promise<void> {
    const changing = updates.filter(({ plan }) => plan.changed.includes('email'));
    if (changing.length === 0) return;
    const emails = changing.map(({ plan }) => plan.after.email);
    const taken = await this.customers.findIdsByEmail(tx, id, emails);
    for (const { candidate, target, plan } of changing) {
      if (!taken.has(plan.after.email) && !seen.has(emailKey(plan.after))) continue;
      const { email, emailVerified } = target;
      plan.after = { ...plan.after, email, emailVerified };
      plan.changed = plan.changed.filter((name) => name !== 'email' && name !== 'emailVerified');
      candidate.warnings.push(emailTakenWarning);
    }
  }
}

const toDependent = ({ line, warnings }: Candidate): ImportLineResult => ({
  ...{ line, status: 'skipped', customerId: null, errors: [earlierLineError] },
  warnings: limitWarnings(warnings),
});

const hasNewerTime = ({ candidate, target, plan }: Update): boolean =>
  candidate.input.updatedAt !== undefined && plan.after.updatedAt > target.updatedAt;

const isUpdate = (match: Match): match is Update => match.plan.action === 'update';

/** Returns the errors for a line that changes nothing. */
function unappliedLineErrors(
  { candidate, target, plan }: Match,
  { names, warnings }: Additions,
): FieldError[] {
  const { externalId } = candidate.customer;
  if (plan.action === 'reject')
    return [otherUserError(externalId !== null && externalId === target.externalId ? 'externalId' : 'id')];
  const differing = plan.action === 'keep' ? plan.differing : [];
  const fields = [...differing, ...names, ...warnings.map(({ field }) => field)];
  return fields.length > 0 ? fields.map(conflictError(isChangedInGatehouse(target))) : [notNewerError];
}

const updateWarnings = ({ plan }: Update): FieldError[] => [
  ...plan.kept.map(keptWarning),
  ...(plan.isChangedInGatehouse ? plan.changed.map(replacedWarning) : []),
];

function toRow({ candidate, target, plan }: Update, { passwordHash }: Additions): ImportTargetUpdate {
  const { after } = plan;
  const updatedAt = candidate.input.updatedAt ? after.updatedAt : now();
  // Keeps the previous time, so that the next update can tell that Gatehouse has disabled the customer or removed a
  // credential.
  const staysUnknown =
    plan.isChangedInGatehouse && (after.disabledAt !== null || target.importUpdatedAt === null);
  return {
    ...after,
    updatedAt,
    passwordHash: passwordHash ?? target.passwordHash,
    importUpdatedAt: staysUnknown ? target.importUpdatedAt : updatedAt,
  };
}

const toResult = (
  { candidate, target }: Match,
  status: 'updated' | 'skipped',
  errors: FieldError[],
): ImportLineResult => ({
  line: candidate.line,
  status,
  customerId: target.id,
  errors: limitErrors(errors),
  warnings: limitWarnings(candidate.warnings),
});

function toUpdateLine(input: ImportedCustomer): ImportUpdateLine {
  const defined = changeableFields.filter((name) => input[name] !== undefined);
  const { imageUrl } = input;
  return {
    fields: {
      ...(pickDefined(newCustomer(input), defined) as ImportUpdateLine['fields']),
      ...(imageUrl !== undefined && { imageUrl }),
    },
    disabledAt: input.disabledAt === undefined ? undefined : parseTime(input.disabledAt),
    updatedAt: parseTime(input.updatedAt),
    lastLoginAt: parseTime(input.lastLoginAt),
    createdAt: parseTime(input.createdAt),
  };
}
