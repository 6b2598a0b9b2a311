import {
  customEventTypePattern,
  GatehouseError,
  isCustomEventType,
  isUuid,
  MAX_CUSTOM_EVENT_TYPE_LENGTH,
  type CustomEventType,
  type FieldError,
} from '@gatehouse/domain';
import { sliceData } from './slice-data.js';

export const MAX_CUSTOM_EVENTS = 100;
export const MAX_DATA_BYTES = 32 * 1024;

/** A custom event as a server sent it. */
export interface CustomEvent {
  type: CustomEventType;
  data: Record<string, unknown>;
  /** The JSON of `data`, exactly as it was sent. */
  dataText: string;
  /** Null means the key's own project. */
  projectId: string | null;
}

const fields = new Set(['type', 'data', 'project_id']);

/**
 * Validates and returns the events in a body: a single event or a list. Does not use class-transformer, which
 * would copy their data.
 * @param bytes the body's bytes, in UTF-8
 * @throws GatehouseError `invalid_json` for a missing body, `validation_failed`
 */
export function readCustomEvents(body: unknown, bytes: Buffer | undefined): CustomEvent[] {
  if (body === undefined || !bytes) {
    throw new GatehouseError('invalid_json', { detail: 'A JSON body is required.' });
  }
  const isList = Array.isArray(body);
  const items = isList ? (body as unknown[]) : [body];
  const text = bytes.toString();
  const slices = items.every(isJsonObject) ? sliceData(text) : [];
  const errors = [
    ...lengthErrors(items.length),
    ...items.flatMap((item, index) => eventErrors(item, slices[index] ?? '', isList ? `[${index}]` : '')),
  ];
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
  return (items as { type: CustomEventType; data: Record<string, unknown>; project_id?: string }[]).map(
    ({ type, data, project_id: projectId = null }, index) => ({
      type,
      data,
      dataText: slices[index]!,
      projectId,
    }),
  );
}

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function lengthErrors(length: number): FieldError[] {
  if (length > 0 && length <= MAX_CUSTOM_EVENTS) return [];
  const code = length === 0 ? 'too_short' : 'too_long';
  return [{ field: 'body', code, message: `body must contain 1 to ${MAX_CUSTOM_EVENTS} events` }];
}

/** @param path the event's path in the body: "" or "[3]" */
function eventErrors(item: unknown, dataText: string, path: string): FieldError[] {
  const error = (name: string, code: string, rule: string): FieldError => {
    const field = path && name ? `${path}.${name}` : path || name;
    return { field, code, message: `${field} ${rule}` };
  };
  if (!isJsonObject(item)) return [error('', 'invalid_type', 'must be a JSON object')];
  const { type, data, project_id: projectId } = item;
  const errors = Object.keys(item)
    .filter((name) => !fields.has(name))
    .map((name) => error(name, 'unknown_field', 'is not a known field'));
  if (type === undefined) errors.push(error('type', 'required', 'is required'));
  else if (typeof type !== 'string') errors.push(error('type', 'invalid_type', 'must be a string'));
  else if (type.length > MAX_CUSTOM_EVENT_TYPE_LENGTH)
    errors.push(error('type', 'too_long', `must be at most ${MAX_CUSTOM_EVENT_TYPE_LENGTH} characters`));
  else if (!isCustomEventType(type))
    errors.push(error('type', 'invalid', `must match ${customEventTypePattern.source}`));
  if (data === undefined) errors.push(error('data', 'required', 'is required'));
  else if (!isJsonObject(data)) errors.push(error('data', 'invalid_type', 'must be a JSON object'));
  else if (Buffer.byteLength(dataText) > MAX_DATA_BYTES)
    errors.push(error('data', 'too_long', `must be at most ${MAX_DATA_BYTES} bytes`));
  if (projectId !== undefined && !isUuid(projectId))
    errors.push(error('project_id', 'invalid', 'must be a UUID'));
  return errors;
}
