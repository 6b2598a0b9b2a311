import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { GatehouseError, type FieldError } from '@gatehouse/domain';
import { cacheValidationMetadata } from './validation-metadata.js';

cacheValidationMetadata();

/** API error codes, by class-validator constraint name. */
const constraintCodes: Record<string, string> = {
  isDefined: 'required',
  isString: 'invalid_type',
  isBoolean: 'invalid_type',
  isInt: 'invalid_type',
  isArray: 'invalid_type',
  isObject: 'invalid_type',
  maxLength: 'too_long',
  minLength: 'too_short',
  arrayMaxSize: 'too_long',
  arrayMinSize: 'too_short',
  repeated: 'repeated',
};

/** A class that bodies are converted to. With `bodyIsOptional`, a missing body counts as an empty one. */
export interface BodyClass {
  bodyIsOptional?: true;
}

/**
 * Converts bodies and queries to their classes, or rejects them with all errors. All validators are
 * synchronous, because an import validates thousands of lines per second and promises would slow it down.
 */
export class InputPipe implements PipeTransform {
  /** @param options `ignoresUnknown` drops unknown fields instead of rejecting them, for objects from other systems */
  constructor(private readonly options: { ignoresUnknown?: boolean } = {}) {}

  /** @throws GatehouseError `invalid_json` for a missing body, `validation_failed` */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (!metatype || metatype === Object || metatype === String || type === 'custom') return value;
    if (type === 'body' && value === undefined && !(metatype as BodyClass).bodyIsOptional) {
      throw new GatehouseError('invalid_json', { detail: 'A JSON body is required.' });
    }
    const { ignoresUnknown = false } = this.options;
    const plain = value ?? {};
    if (type === 'query') assertSingle(plain);
    const input = plainToInstance(metatype, plain, { exposeUnsetFields: false }) as object;
    const validationErrors = validateSync(input, {
      whitelist: true,
      forbidNonWhitelisted: !ignoresUnknown,
      stopAtFirstError: true,
    });
    const errors = [
      ...(ignoresUnknown ? [] : inheritedNameErrors(plain, input)),
      ...validationErrors.flatMap((error) => fieldErrors(error)),
    ];
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    return input;
  }
}

/** Rejects repeated query parameters. @throws GatehouseError `validation_failed` */
function assertSingle(query: object): void {
  const repeated = Object.entries(query).filter(([, value]) => Array.isArray(value));
  if (repeated.length === 0) return;
  const errors = repeated.map(([field]) =>
    fieldError(field, 'repeated', `${field} must not be sent more than once`),
  );
  throw new GatehouseError('validation_failed', { errors });
}

/** Returns errors for fields named like an Object.prototype member, which class-transformer silently drops. */
function inheritedNameErrors(plain: object, input: object, parent = ''): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(plain) as [string, unknown][]) {
    const field = parent + name;
    const member = (input as Record<string, unknown>)[name];
    if (name in Object.prototype) errors.push(fieldError(field, 'whitelistValidation', ''));
    else if (isObject(value) && hasDtoClass(member))
      errors.push(...inheritedNameErrors(value, member, `${field}.`));
  }
  return errors;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Returns true for a class instance, and for a list, which can contain instances. Other objects remain
 * unchanged, with any field names.
 */
const hasDtoClass = (value: unknown): value is object =>
  isObject(value) && Object.getPrototypeOf(value) !== Object.prototype;

function fieldErrors(error: ValidationError, parent = ''): FieldError[] {
  const field = parent + error.property;
  const nested = (error.children ?? []).flatMap((child) => fieldErrors(child, `${field}.`));
  const constraints = Object.entries(error.constraints ?? {});
  if (constraints.length === 0) return nested;
  const isMissing = error.value === undefined && !('whitelistValidation' in (error.constraints ?? {}));
  if (isMissing) return [{ field, code: 'required', message: `${field} is required` }, ...nested];
  const withParent = (message: string): string =>
    message.startsWith(error.property) ? parent + message : message;
  return [...constraints.map(([name, message]) => fieldError(field, name, withParent(message))), ...nested];
}

const fieldError = (field: string, constraint: string, message: string): FieldError =>
  constraint === 'whitelistValidation'
    ? { field, code: 'unknown_field', message: `${field} is not a known field` }
    : { field, code: constraintCodes[constraint] ?? 'invalid', message };
