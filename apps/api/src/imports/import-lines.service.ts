import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  hasErrorCode,
  invalidField,
  newCustomer,
  readImageUrl,
  type FieldError,
  type ProjectContext,
} from '@gatehouse/domain';
import type { CustomerWithPasswordHash } from '@gatehouse/persistence';
import { newId, now, PasswordHasher } from '@gatehouse/platform';
import { parseTime } from '../http/input/time-field.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import type { ImportedCustomer } from './dto/import.request.js';
import { ImportedIdentitiesService, type NewImportedIdentity } from './imported-identities.service.js';
import { ImportedPasskeysService, type NewImportedPasskey } from './imported-passkeys.service.js';
import { omittedValueWarning, limitErrors } from './omitted-values.js';
import type { Line } from './ndjson.js';
import { readEntry, readLine, type ReadLine } from './read-line.js';

/** Number of lines to validate before the event loop handles other work, such as the batch that is being written. */
const LINES_PER_TURN = 5;

export interface ValidationOptions {
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** True for a dry run, which checks passwords but does not hash them. */
  isDryRun?: boolean;
  /** True to accept salted SHA hashes (ADR 0107). */
  allowFastHashes?: boolean | undefined;
}

/** A valid line, which creates a customer or updates an existing one. */
export interface Candidate {
  line: number;
  customer: CustomerWithPasswordHash;
  /** The line's accepted fields. */
  input: ImportedCustomer;
  /** True if the line contains an id for the customer. The id may be taken. */
  specifiesId: boolean;
  /** Authenticator secret in base32, or null. */
  totpSecret: string | null;
  passkeys: NewImportedPasskey[];
  identities: NewImportedIdentity[];
  hasWeakHash: boolean;
  /** Warnings about values that were left out. */
  warnings: FieldError[];
}

/** A validated line: either a customer or errors. */
export type ValidatedLine = Candidate | { line: number; errors: FieldError[] };

/** Parses and validates an import's lines and hashes their passwords, before any transaction begins. */
@Injectable()
export class ImportLinesService {
  constructor(
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
  ) {}

  /**
   * @throws GatehouseError `request_timeout` if the caller disconnects
   */
  validateLines(
    project: ProjectContext,
    lines: Line[],
    options: ValidationOptions,
  ): Promise<ValidatedLine[]> {
    return this.validateAll(lines, options.signal, ({ number, bytes }) =>
      this.validate(project, number, () => readLine(bytes), options),
    );
  }

  /**
   * @throws GatehouseError `request_timeout` if the caller disconnects
   */
  validateList(
    project: ProjectContext,
    list: unknown[],
    options: ValidationOptions,
  ): Promise<ValidatedLine[]> {
    return this.validateAll(list, options.signal, (value, index) =>
      this.validate(project, index + 1, () => readEntry(value), options),
    );
  }

  private async validateAll<T>(
    items: T[],
    signal: AbortSignal,
    validate: (item: T, index: number) => Promise<ValidatedLine>,
  ): Promise<ValidatedLine[]> {
    // Each password that waits for a thread adds a listener to the signal, and Node.js warns about more than ten.
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
    read: () => ReadLine,
    options: ValidationOptions,
  ): Promise<ValidatedLine> {
    try {
      const lineRead = read();
      const { input } = lineRead;
      // Most lines have neither passkeys nor a password, and an `await` for each would take longer than the checks.
      const { passkeys, warnings: passkeyWarnings } = input.passkeys
        ? await this.passkeys.validate(project, lineRead)
        : noPasskeys;
      const { identities, warnings: identityWarnings } = this.identities.validate(lineRead);
      const imageWarnings = normalizeImage(input);
      const hashed =
        input.password === undefined
          ? this.importHash(input, options)
          : await this.hashPassword(project, input, input.password, options);
      const { stored, isWeak, warnings: hashWarnings } = hashed;
      const warnings = [
        ...lineRead.warnings,
        ...imageWarnings,
        ...hashWarnings,
        ...passkeyWarnings,
        ...identityWarnings,
      ];
      return {
        ...{ line, input, passkeys, identities, warnings, hasWeakHash: isWeak },
        customer: toCustomer(project, input, stored),
        specifiesId: input.id !== undefined,
        totpSecret: input.totpSecret ?? null,
      };
    } catch (error) {
      if (!(error instanceof GatehouseError) || !lineErrorCodes.has(error.code)) throw error;
      const { errors = [{ field: '', code: error.code, message: error.message }] } = error.details;
      return { line, errors: limitErrors(errors) };
    }
  }

  private async hashPassword(
    project: ProjectContext,
    { email, passwordHash = null }: ImportedCustomer,
    password: string,
    { signal, isDryRun = false }: ValidationOptions,
  ): Promise<StoredHash> {
    if (passwordHash !== null) {
      throw invalidField('passwordHash', 'conflict', 'passwordHash cannot be combined with password');
    }
    await this.policy.assertStrong(project, email, password);
    const stored = isDryRun
      ? null
      : await this.hasher.hashFor(project, password, { isBackground: true, signal });
    return { stored, isWeak: false, warnings: [] };
  }

  /** Returns a hash in its stored form, or a warning if Gatehouse does not accept it. */
  private importHash(
    { passwordHash = null }: ImportedCustomer,
    { allowFastHashes = false }: ValidationOptions,
  ): StoredHash {
    if (passwordHash === null) return noHash;
    try {
      return { ...this.hasher.importHash(passwordHash, { allowFastHashes }), warnings: [] };
    } catch (error) {
      if (!hasErrorCode(error, 'validation_failed')) throw error;
      return { ...noHash, warnings: (error.details.errors ?? []).map(omittedValueWarning) };
    }
  }
}

/** A password or hash in its stored form. */
interface StoredHash {
  stored: string | null;
  isWeak: boolean;
  /** Warnings about values that were left out. */
  warnings: FieldError[];
}

const noHash: StoredHash = { stored: null, isWeak: false, warnings: [] };

const noPasskeys = { passkeys: [], warnings: [] };

/** Replaces the image URL with its canonical form, or leaves it out with a warning. */
function normalizeImage(input: ImportedCustomer): FieldError[] {
  if (input.imageUrl === undefined) return [];
  const imageUrl = readImageUrl(input.imageUrl);
  const isInvalid = imageUrl === null && !!input.imageUrl;
  // An invalid image must not remove an existing customer's image.
  input.imageUrl = isInvalid ? undefined : imageUrl;
  const message = 'imageUrl must be an https URL without a user name';
  return isInvalid ? [omittedValueWarning({ field: 'imageUrl', code: 'invalid', message })] : [];
}

/** Errors that concern a single line. Any other error ends the import. */
const lineErrorCodes = new Set(['invalid_json', 'validation_failed', 'weak_password']);

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
    imageUrl: input.imageUrl ?? null,
    disabledAt: parseTime(input.disabledAt),
    createdAt,
    updatedAt: parseTime(input.updatedAt) ?? createdAt,
    lastLoginAt: parseTime(input.lastLoginAt),
    passwordHash,
  };
}
