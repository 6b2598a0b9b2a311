import { exampleId, exampleOrganizationId, exampleProjectId, exampleTime } from '../events/event-example.js';
import { publicId } from '../values/ids.js';
import type { CustomEventType } from './custom-event-types.js';
import { eventTypes, isOrganizationEvent, type EventType } from './event-types.js';

/** A webhook body (contract, section 5). */
export interface EventBody {
  id: string;
  type: EventType;
  created_at: string;
  /** Null for an event that belongs to no project. */
  project_id: string | null;
  organization_id: string;
  data: Record<string, unknown>;
}

/** An example body for each event type. */
export const eventExamples = Object.fromEntries(
  (Object.keys(eventTypes) as EventType[]).map((type, index) => {
    const [at, data] = eventTypes[type].example;
    const tail = `94d6e1f03b${index.toString(16).padStart(2, '0')}`;
    const id = publicId('event', exampleId(at, tail));
    const project_id = isOrganizationEvent(type) ? null : exampleProjectId;
    return [type, { id, type, created_at: at, project_id, organization_id: exampleOrganizationId, data }];
  }),
) as Record<EventType, EventBody>;

/** An example body for a custom event. */
export const customEventExample: Omit<EventBody, 'type'> & { type: CustomEventType } = {
  id: publicId('event', exampleId(exampleTime('12:10:44.281'), '94d6e1f03bff')),
  type: 'app.order.paid',
  created_at: exampleTime('12:10:44.281'),
  project_id: exampleProjectId,
  organization_id: exampleOrganizationId,
  data: { order: { id: 'ord_1024', total: '49.90', currency: 'EUR' } },
};
