import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { GatehouseError, type FieldError } from '@gatehouse/domain';

/** Names of class-validator's constraints, as the codes that callers see. */
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

/** A body class may say that the body can be left out, which counts as an empty one. */
export interface BodyClass {
  bodyIsOptional?: true;
}

/** Turns bodies and queries into their classes, or refuses them with every fault named. */
@Injectable()
export class InputPipe implements PipeTransform {
  /** @throws GatehouseError `invalid_json` for a missing body, `validation_failed` */
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (!metatype || metatype === Object || metatype === String || type === 'custom') return value;
    if (type === 'body' && value === undefined && !(metatype as BodyClass).bodyIsOptional) {
      throw new GatehouseError('invalid_json', { detail: 'A JSON body is required.' });
    }
    const plain = value ?? {};
    if (type === 'query') assertSingle(plain);
    const input = plainToInstance(metatype, plain, { exposeUnsetFields: false }) as object;
    const faults = await validate(input, {
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: true,
    });
    const errors = [...inheritedNames(plain, input), ...faults.flatMap((fault) => fieldErrors(fault))];
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    return input;
  }
}

/** @throws GatehouseError `validation_failed` for a parameter that is given more than once */
function assertSingle(query: object): void {
  const repeated = Object.entries(query).filter(([, value]) => Array.isArray(value));
  if (repeated.length === 0) return;
  const errors = repeated.map(([field]) =>
    fieldError(field, 'repeated', `${field} must not be sent more than once`),
  );
  throw new GatehouseError('validation_failed', { errors });
}

/** class-transformer silently drops fields that are named like a method of every object. */
function inheritedNames(plain: object, input: object, parent = ''): FieldError[] {
  return Object.entries(plain).flatMap(([name, value]: [string, unknown]) => {
    const field = parent + name;
    if (name in Object.prototype) return [fieldError(field, 'whitelistValidation', '')];
    const member = (input as Record<string, unknown>)[name];
    return isObject(value) && hasDtoClass(member) ? inheritedNames(value, member, `${field}.`) : [];
  });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** What has no class is kept as it came, whatever its names. */
const hasDtoClass = (value: unknown): value is object =>
  isObject(value) && ![Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value) as object);

function fieldErrors(fault: ValidationError, parent = ''): FieldError[] {
  const field = parent + fault.property;
  const nested = (fault.children ?? []).flatMap((child) => fieldErrors(child, `${field}.`));
  const constraints = Object.entries(fault.constraints ?? {});
  if (constraints.length === 0) return nested;
  const isMissing = fault.value === undefined && !('whitelistValidation' in (fault.constraints ?? {}));
  if (isMissing) return [{ field, code: 'required', message: `${field} is required` }, ...nested];
  const named = (message: string): string =>
    message.startsWith(fault.property) ? parent + message : message;
  return [...constraints.map(([name, message]) => fieldError(field, name, named(message))), ...nested];
}

const fieldError = (field: string, constraint: string, message: string): FieldError =>
  constraint === 'whitelistValidation'
    ? { field, code: 'unknown_field', message: `${field} is not a known field` }
    : { field, code: constraintCodes[constraint] ?? 'invalid', message };
