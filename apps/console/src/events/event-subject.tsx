import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { isCustomEventType } from '../components/custom-event-type';
import { UntrustedText } from '../components/untrusted-text';
import { shortId } from '../components/id';

/** The members of an event's data that can be its subject, and the screen for each. */
const subjects = [
  ['customer', 'customers'],
  ['organization', 'organizations'],
  ['project', 'projects'],
  ['delivery', 'deliveries'],
  ['endpoint', 'endpoints'],
  ['apiKey', null],
] as const;

/** Renders an event's subject, by name if the body contains one. */
export function EventSubject({ event }: { event: Schemas['EventResponse'] }): ReactNode {
  // A custom event's members may contain anything.
  if (isCustomEventType(event.type)) return '–';
  for (const [member, screen] of subjects) {
    const { id, email, name, url } = (event.data[member] ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string') continue;
    const displayName = [email, name, url].find(
      (candidate) => typeof candidate === 'string' && candidate !== '',
    );
    const text = <UntrustedText text={typeof displayName === 'string' ? displayName : shortId(id)} oneLine />;
    return screen ? (
      <Anchor component={Link} to={`/${screen}/${id}`} inherit>
        {text}
      </Anchor>
    ) : (
      text
    );
  }
  return '–';
}
