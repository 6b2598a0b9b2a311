import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  invalidField,
  newCustomer,
  type FieldError,
  type ProjectContext,
} from '@gatehouse/domain';
import type { CustomerWithPasswordHash, PortableIdentity } from '@gatehouse/persistence';
import { newId, now, PasswordHasher } from '@gatehouse/platform';
import { InputPipe } from '../http/input.pipe.js';
import { lineLimits, parseStrictJson } from '../http/strict-json.js';
import { parseTime } from '../http/time-field.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { ImportedCustomer } from './dto/import.request.js';
import { ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService, type NewImportedPasskey } from './imported-passkeys.service.js';
import type { Line } from './ndjson.js';

/** Number of lines that are validated in a row before the event loop handles other work, such as the batch that is being written. */
const LINES_PER_TURN = 5;

/** Limits of the stored errors of a line: its sender chooses the number and the names of its fields. */
export const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 100;

export interface ValidationOptions {
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** True if the customers will not be created: their passwords are checked but not hashed. */
  isDryRun?: boolean;
  /** True accepts salted SHA hashes (docs/adr/0107). */
  allowFastHashes?: boolean | undefined;
}

/** A validated line: the customer to create, or the errors. */
export type ValidatedLine = { line: number } & (
  | {
      customer: CustomerWithPasswordHash;
      /** Whether the line contains the id of the customer, which may be taken. */
      hasOwnId: boolean;
      /** In base32, or null. */
      totpSecret: string | null;
      passkeys: NewImportedPasskey[];
      identities: PortableIdentity[];
      hasWeakHash: boolean;
    }
  | { errors: FieldError[] }
);

/** Converts the lines of an import into customers before any transaction: parses, validates and hashes. */
@Injectable()
export class ImportLinesService {
  private readonly input = new InputPipe();

  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
  ) {}

  /** @throws GatehouseError `request_timeout` when the caller disconnects */
  validateLines(
    project: ProjectContext,
    lines: Line[],
    options: ValidationOptions,
  ): Promise<ValidatedLine[]> {
    return this.validateAll(lines, options.signal, ({ number, bytes }) =>
      this.validate(project, number, () => parseLine(bytes), options),
    );
  }

  /** @throws GatehouseError `request_timeout` when the caller disconnects */
  validateList(
    project: ProjectContext,
    list: unknown[],
    options: ValidationOptions,
  ): Promise<ValidatedLine[]> {
    return this.validateAll(list, options.signal, (value, index) =>
      this.validate(project, index + 1, () => assertObject(value), options),
    );
  }

  private async validateAll<T>(
    items: T[],
    signal: AbortSignal,
    validate: (item: T, index: number) => Promise<ValidatedLine>,
  ): Promise<ValidatedLine[]> {
    // Each password that waits for a thread listens to the signal. Node.js warns of more than ten listeners.
    setMaxListeners(0, signal);
    const validated: Promise<ValidatedLine>[] = [];
    await this.hasher.waitUntilIdle();
    for (const [index, item] of items.entries()) {
      if (index % LINES_PER_TURN === 0) await setImmediate();
      const validation = validate(item, index);
      validation.catch(() => undefined);
      validated.push(validation);
    }
    return Promise.all(validated);
  }

  private async validate(
    project: ProjectContext,
    line: number,
    read: () => Record<string, unknown>,
    options: ValidationOptions,
  ): Promise<ValidatedLine> {
    try {
      const target = { type: 'body', metatype: ImportedCustomer } as const;
      const input = this.input.transform(read(), target) as ImportedCustomer;
      const passkeys = await this.passkeys.validate(project, input.passkeys ?? []);
      const identities = this.identities.validate(input.identities ?? []);
      const { stored, isWeak } = await this.resolvePasswordHash(project, input, options);
      return {
        ...{ line, passkeys, identities, hasWeakHash: isWeak },
        customer: toCustomer(project, input, stored),
        hasOwnId: input.id !== undefined,
        totpSecret: input.totpSecret ?? null,
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
    { signal, isDryRun = false, allowFastHashes = false }: ValidationOptions,
  ): Promise<{ stored: string | null; isWeak: boolean }> {
    if (passwordHash !== null && password !== undefined) {
      throw invalidField('passwordHash', 'conflict', 'passwordHash cannot be combined with password');
    }
    if (passwordHash !== null) return this.hasher.importHash(passwordHash, { allowFastHashes });
    if (password === undefined) return { stored: null, isWeak: false };
    await this.policy.assertStrong(project, email, password);
    const hash = isDryRun
      ? null
      : await this.hasher.hashFor(project, password, { isBackground: true, signal });
    return { stored: hash, isWeak: false };
  }
}

/** Errors of a single line. Any other error ends the import. */
const lineErrorCodes = new Set(['invalid_json', 'validation_failed', 'weak_password']);

function truncateError({ field, code, message }: FieldError): FieldError {
  if (field.length <= MAX_FIELD_LENGTH) return { field, code, message };
  // A lone surrogate cannot be stored.
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
    id: input.id ?? newId(),
    projectId: project.id,
    ...newCustomer(input),
    imageUrl: null,
    disabledAt: parseTime(input.disabledAt),
    createdAt,
    updatedAt: parseTime(input.updatedAt) ?? createdAt,
    lastLoginAt: parseTime(input.lastLoginAt),
    passwordHash,
  };
}
