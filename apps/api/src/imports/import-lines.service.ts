import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  invalidField,
  newCustomer,
  type FieldError,
  type ProjectContext,
} from '@gatehouse/domain';
import type { CustomerWithPasswordHash } from '@gatehouse/persistence';
import { newId, now, PasswordHasher } from '@gatehouse/platform';
import { parseTime } from '../http/fields.js';
import { InputPipe } from '../http/input.pipe.js';
import { lineLimits, parseStrictJson } from '../http/strict-json.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { ImportedCustomer } from './dto/import.request.js';
import type { Line } from './ndjson.js';

/** So many lines are judged in a row; then it is somebody else's turn. */
const LINES_PER_TURN = 20;

/** What is kept of the faults of a line: its sender chooses how many fields it has, and how they are called. */
const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 100;

/** A line that has been judged: a customer to be, or what is wrong with it. */
export type ValidatedLine = { line: number } & (
  { customer: CustomerWithPasswordHash } | { errors: FieldError[] }
);

/** Makes customers of what an import brings, before any transaction: it parses, judges and hashes. */
@Injectable()
export class ImportLinesService {
  private readonly input = new InputPipe();

  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
  ) {}

  /** @throws GatehouseError `request_timeout` when the caller goes */
  validateLines(project: ProjectContext, lines: Line[], signal: AbortSignal): Promise<ValidatedLine[]> {
    return this.validateAll(lines, ({ number, bytes }) =>
      this.validate(project, number, () => parseLine(bytes), signal),
    );
  }

  /** @throws GatehouseError `request_timeout` when the caller goes */
  validateList(project: ProjectContext, list: unknown[], signal: AbortSignal): Promise<ValidatedLine[]> {
    return this.validateAll(list, (value, index) =>
      this.validate(project, index + 1, () => assertObject(value), signal),
    );
  }

  private async validateAll<T>(
    items: T[],
    judge: (item: T, index: number) => Promise<ValidatedLine>,
  ): Promise<ValidatedLine[]> {
    const judged: Promise<ValidatedLine>[] = [];
    await this.hasher.waitUntilIdle();
    for (const [index, item] of items.entries()) {
      if (index % LINES_PER_TURN === 0) await setImmediate();
      const one = judge(item, index);
      one.catch(() => undefined);
      judged.push(one);
    }
    return Promise.all(judged);
  }

  private async validate(
    project: ProjectContext,
    line: number,
    read: () => Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ValidatedLine> {
    try {
      const target = { type: 'body', metatype: ImportedCustomer } as const;
      const input = (await this.input.transform(read(), target)) as ImportedCustomer;
      return {
        line,
        customer: toCustomer(project, input, await this.resolvePasswordHash(project, input, signal)),
      };
    } catch (error) {
      if (!(error instanceof GatehouseError) || !lineErrorCodes.has(error.code)) throw error;
      const { errors = [{ field: '', code: error.code, message: error.message }] } = error.details;
      return { line, errors: errors.slice(0, MAX_ERRORS).map(truncateError) };
    }
  }

  private async resolvePasswordHash(
    project: ProjectContext,
    { email, password, passwordHash = null }: ImportedCustomer,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (passwordHash !== null && password !== undefined) {
      throw invalidField('passwordHash', 'conflict', 'passwordHash cannot be combined with password');
    }
    if (passwordHash !== null) return this.hasher.importHash(passwordHash);
    if (password === undefined) return null;
    await this.policy.assertStrong(project, email, password);
    return this.hasher.hash(password, { isBackground: true, signal });
  }
}

/** Everything else is no fault of the line and ends the import. */
const lineErrorCodes = new Set(['invalid_json', 'validation_failed', 'weak_password']);

function truncateError({ field, code, message }: FieldError): FieldError {
  if (field.length <= MAX_FIELD_LENGTH) return { field, code, message };
  // Half a surrogate pair could not be stored.
  const short = field.slice(0, MAX_FIELD_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return { field: short, code, message: message.replaceAll(field, () => short) };
}

function parseLine(bytes: Buffer | null): Record<string, unknown> {
  if (!bytes) throw invalidField('', 'too_long', 'The line is longer than 64 KiB.');
  return parseStrictJson(bytes, lineLimits);
}

function assertObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw invalidField('', 'invalid_type', 'A customer must be a JSON object.');
  return value as Record<string, unknown>;
}

function toCustomer(
  project: ProjectContext,
  input: ImportedCustomer,
  passwordHash: string | null,
): CustomerWithPasswordHash {
  const createdAt = parseTime(input.createdAt) ?? now();
  return {
    id: newId(),
    projectId: project.id,
    ...newCustomer(input),
    disabledAt: parseTime(input.disabledAt),
    createdAt,
    updatedAt: parseTime(input.updatedAt) ?? createdAt,
    lastLoginAt: parseTime(input.lastLoginAt),
    passwordHash,
  };
}
