// Fields and schemas that the metrics routes share, in both naming conventions.

import { statusClasses } from '@gatehouse/domain';
import { OneOfField } from '../../http/input/fields.js';

/** The query parameter that requests the previous period's metrics. */
export const CompareField = (): PropertyDecorator =>
  OneOfField('`previous`: also return the metrics for the equally long period before the range', [
    'previous',
  ]);

export const previousPeriodSchema = {
  nullable: true,
  description:
    'Metrics of the same number of buckets directly before the range. Null if they were not requested or are not entirely stored, or if nothing was counted',
} as const;

export const timeSchema = { format: 'date-time' } as const;
export const countSchema = { type: 'integer', minimum: 0, example: 48 } as const;

export const durationSchema = {
  type: 'integer',
  nullable: true,
  minimum: 0,
  description: 'Duration in milliseconds. Null if there are no attempts',
  example: 130,
} as const;

export const rangeStartSchema = { ...timeSchema, description: 'Start of the first bucket' } as const;

/**
 * @param records the counted records, such as "attempts"
 */
export const rangeEndSchema = (records: string) => ({
  ...timeSchema,
  description: `End of the counted range: the current time, or an earlier time if the workers have not counted all ${records} yet`,
});

export const completeFromSchema = {
  type: String,
  format: 'date-time',
  nullable: true,
  description:
    'Time from which the metrics are complete, while older attempts are still being counted. Null if the metrics are complete',
} as const;

export const bucketLengthSchema = {
  ...countSchema,
  example: 900,
  description: 'Length of a bucket in seconds',
} as const;

/**
 * Returns the start of a bucket as an ISO 8601 time.
 * @param seconds seconds since 1970
 */
export const bucketTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** Describes the HTTP status classes. */
export const STATUS_CLASSES_TEXT = '`other`: 1 to 199, or 600 to 999. `none`: 0, no response was received';

export const statusClassSchema = { enum: statusClasses, description: STATUS_CLASSES_TEXT };
