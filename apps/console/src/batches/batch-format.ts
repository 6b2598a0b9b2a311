import type { Batch } from './redelivery-batch';
import { statusClassLabels } from '../components/status-class';

/** Labels of the filters that a batch can be planned with, by parameter. */
export const filterLabels: Record<string, string> = {
  project_id: 'Project',
  organization_id: 'Organization',
  endpoint_id: 'Endpoint',
  event: 'Event type',
  event_id: 'Event ID',
  delivery_id: 'Delivery',
  delivery_state: 'Delivery status',
  success: 'Succeeded',
  http_status: 'HTTP status',
  status_class: 'Response',
  created_after: 'Created after',
  created_before: 'Created before',
  since: 'Events since',
  until: 'Events until',
};

interface FilterEntry {
  name: string;
  text: string;
  /** Path of the record that the text identifies. */
  path?: string;
}

const recordPaths: Record<string, string> = {
  project_id: 'projects',
  organization_id: 'organizations',
  endpoint_id: 'endpoints',
  event_id: 'events',
  delivery_id: 'deliveries',
};

/** Indexed by string, because a newer server may return other classes. */
const classLabels: Record<string, string> = statusClassLabels;

type FormatTime = (at: string) => string;

/** Returns the names and values in the filter that a batch was planned with. */
export function filterEntries({ filter }: Batch, formatTime: FormatTime): FilterEntry[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    if (key === 'delivery_ids' && Array.isArray(value)) {
      return [{ name: 'Selected deliveries', text: String(value.length) }];
    }
    const name = filterLabels[key] ?? key;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (/_(after|before)$|^(since|until)$/.test(key)) return [{ name, text: formatTime(text) }];
    if (key === 'status_class') return [{ name, text: classLabels[text] ?? text }];
    return [{ name, text, ...(recordPaths[key] && { path: `/${recordPaths[key]}/${text}` }) }];
  });
}

export const batchKindLabel = ({ kind }: Batch): string =>
  kind === 'recovery' ? 'Endpoint recovery' : 'Redelivery';

/** Returns the number of eligible deliveries that have finished, with any outcome. */
export function finishedCount({ eligible, progress: { remaining, pending } }: Batch): number {
  return Math.max(0, eligible - remaining - pending);
}
