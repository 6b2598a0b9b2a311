import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { groupByResource, useEventTypes } from '../parts/event-type-select';
import { Badge } from '../parts/status-badge';
import classes from './endpoints.module.css';

/** "Everything", or the first of many, in one line. */
export function formatEvents(events: string[]): string {
  const [first = '', ...rest] = events.map((entry) => (entry === '*' ? 'All events' : entry));
  return rest.length > 0 ? `${first} +${rest.length}` : first;
}

/** What an endpoint listens to, and which types that is today. */
export function EndpointEvents({ events }: { events: string[] }): ReactNode {
  const types = useEventTypes();
  const heard = groupByResource(types).flatMap(([noun, own]) =>
    own.filter(
      ({ type, named_only: namedOnly }) =>
        type !== 'webhook.test' &&
        (events.includes(type) || events.includes(`${noun}.*`) || (events.includes('*') && !namedOnly)),
    ),
  );
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
            {heard.length} of {types.length} event types
          </Text>
          <Text size="xs" mt={4}>
            {heard.map(({ type }) => type).join(', ') || 'None'}
          </Text>
        </details>
      )}
    </>
  );
}
