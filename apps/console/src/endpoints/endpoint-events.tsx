import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isCustomEventType } from '../components/custom-event-type';
import { groupByResource, useEventTypes } from '../components/event-type-select';
import { Badge } from '../components/status-badge';
import classes from './endpoints.module.css';

/** Returns the subscribed events in one line: "All events", or the first entry and the number of further entries. */
export function formatEvents(events: string[]): string {
  const [first = '', ...rest] = events.map((entry) => (entry === '*' ? 'All events' : entry));
  return rest.length > 0 ? `${first} +${rest.length}` : first;
}

/** Renders the events that an endpoint subscribes to, and the event types that they currently include. */
export function EndpointEvents({ events }: { events: string[] }): ReactNode {
  const types = useEventTypes();
  const subscribedTypes = groupByResource(types).flatMap(([resource, resourceTypes]) =>
    resourceTypes.filter(
      ({ type, named_only: namedOnly }) =>
        type !== 'webhook.test' &&
        (events.includes(type) || events.includes(`${resource}.*`) || (events.includes('*') && !namedOnly)),
    ),
  );
  const customTypes = events.filter(isCustomEventType);
  return (
    <>
      <ul className={classes.events}>
        {events.map((entry) => (
          <li key={entry}>
            <Badge tone="info">{entry === '*' ? 'All events' : entry}</Badge>
          </li>
        ))}
      </ul>
      {types.length > 0 && (
        <details>
          <Text component="summary" size="xs" c="dimmed" mt="xs">
            {subscribedTypes.length} of {types.length} event types
            {customTypes.length > 0 && `, and ${customTypes.length} custom`}
          </Text>
          <Text size="xs" mt={4}>
            {[...subscribedTypes.map(({ type }) => type), ...customTypes].join(', ') || 'None'}
          </Text>
        </details>
      )}
    </>
  );
}
