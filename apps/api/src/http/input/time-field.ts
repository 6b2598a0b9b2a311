import type { ValidationArguments } from 'class-validator';
import { ceilTimestamp, parseTimestamp, timestampProblem, type TimestampProblem } from '@gatehouse/domain';
import type { FieldOptions } from './field-options.js';
import { CheckedField } from './fields.js';

/** Parses a timestamp and truncates it to milliseconds. Returns null if the field was omitted. */
export const parseTime = (text: string | null | undefined): Date | null =>
  text ? parseTimestamp(text) : null;

/**
 * Parses a timestamp that is an upper bound and rounds it up to milliseconds. Returns null if the field was
 * omitted.
 */
export const parseUpperBound = (text: string | undefined): Date | null => (text ? ceilTimestamp(text) : null);

const timeMessages: Record<TimestampProblem, string> = {
  format:
    'must be an ISO 8601 time such as 2026-01-01T00:00:00.000Z, with a time zone and at most nine fraction digits',
  date: 'must contain a date that exists',
};

/** Returns the message for a value that is not a timestamp, or `otherwise` for a timestamp that is not allowed. */
export const timeMessage = (
  { property, value }: ValidationArguments,
  otherwise = timeMessages.format,
): string => {
  const problem = typeof value === 'string' ? timestampProblem(value) : 'format';
  return `${property} ${problem === 'date' ? timeMessages.date : otherwise}`;
};

/** An optional timestamp, in a query or in a body. */
export const TimeField = (description: string, more: Partial<FieldOptions> = {}): PropertyDecorator =>
  CheckedField({
    description,
    example: '2026-01-01T00:00:00.000Z',
    optional: true,
    ...more,
    schema: { format: 'date-time' },
    isValid: (text) => timestampProblem(text) === null,
    message: timeMessage,
  });
