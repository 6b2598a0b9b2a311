import type { Schemas } from '../http/client';

type StatusClass = Schemas['OverviewStatus']['status'];

/** The labels for the HTTP status classes, by the API values. */
export const statusClassLabels: Record<StatusClass, string> = {
  '2xx': '2xx',
  '3xx': '3xx',
  '4xx': '4xx',
  '5xx': '5xx',
  other: 'Other status',
  none: 'No response',
};
