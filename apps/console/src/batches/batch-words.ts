import type { Batch } from '../parts/redelivery-plan';
import { utcTime } from '../parts/time';

const names: Record<string, string> = {
  project_id: 'Project',
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

interface FilterFact {
  name: string;
  text: string;
  /** The screen of what it names. */
  to?: string;
}

const places: Record<string, string> = {
  project_id: 'projects',
  endpoint_id: 'endpoints',
  event_id: 'events',
  delivery_id: 'deliveries',
};

/** What a batch was made with. */
export function filterFacts({ filter }: Batch): FilterFact[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    if (key === 'delivery_ids' && Array.isArray(value)) {
      return [{ name: 'Selected deliveries', text: String(value.length) }];
    }
    const name = names[key] ?? key;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (/_(after|before)$|^(since|until)$/.test(key)) return [{ name, text: utcTime(text) }];
    if (key === 'status_class' && text === 'none') return [{ name, text: 'No response' }];
    return [{ name, text, ...(places[key] && { to: `/${places[key]}/${text}` }) }];
  });
}

/** The same in a line, for a row. */
export function filterInWords(batch: Batch): string {
  const facts = filterFacts(batch).filter(({ name }) => name !== names.delivery_state);
  if (facts.length === 0) return 'All dead letters';
  return facts.map(({ name, text }) => `${name} ${text}`).join(', ');
}

export const kindInWords = ({ kind }: Batch): string =>
  kind === 'recovery' ? 'Endpoint recovery' : 'Redelivery';

/** How many of those that are to be delivered have ended, in whichever way. */
export function settled({ eligible, progress: { remaining, pending } }: Batch): number {
  return Math.max(0, eligible - remaining - pending);
}
