import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { UntrustedText } from '../parts/untrusted-text';
import { shortId } from '../parts/id';

/** The members of an event's data that it may be about, and the screen of each. */
const subjects = [
  ['customer', 'customers'],
  ['organization', 'organizations'],
  ['project', 'projects'],
  ['delivery', 'deliveries'],
  ['endpoint', 'endpoints'],
  ['apiKey', null],
] as const;

/** Who or what an event is about, by name where its body has one. */
export function EventSubject({ event }: { event: Schemas['EventResponse'] }): ReactNode {
  for (const [member, screen] of subjects) {
    const { id, email, name, url } = (event.data[member] ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string') continue;
    const known = [email, name, url].find((each) => typeof each === 'string' && each !== '');
    const text = <UntrustedText text={typeof known === 'string' ? known : shortId(id)} oneLine />;
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
