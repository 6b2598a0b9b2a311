import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Actor } from '../audit/actor';
import type { Schemas } from '../http/client';
import { UntrustedText } from '../components/untrusted-text';
import { Id } from '../components/id';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import classes from './timeline.module.css';

type Links = Schemas['ChainedDeliveryResponse'][];
type ChainLink = Links[number];

const statusColors: Partial<Record<ChainLink['state'], string>> = {
  succeeded: classes.good,
  failed: classes.bad,
  pending: classes.due,
};

/** Renders an event's redelivery chain for one endpoint: who created each redelivery, when and why. */
export function DeliveryChain({ links }: { links: Links }): ReactNode {
  return (
    <Stack gap="sm">
      <Title order={2}>Redelivery history</Title>
      <ol className={classes.timeline}>
        {links.map((link, index) => (
          <ChainItem key={link.id} link={link} next={links[index + 1]} />
        ))}
      </ol>
    </Stack>
  );
}

function ChainItem({ link, next }: { link: ChainLink; next: ChainLink | undefined }): ReactNode {
  const { id, state, createdAt, current, resolution, resolvedBy, reason } = link;
  const by = resolvedBy && <Actor actor={`${resolvedBy.type}:${resolvedBy.id}`} name={resolvedBy.name} />;
  return (
    <li className={`${classes.attempt} ${statusColors[state] ?? ''}`}>
      <Group gap="xs">
        {/* The current delivery has no link, because the link would lead to this page. */}
        <Id id={id} short to={current ? undefined : `/deliveries/${id}`} />
        <StatusBadge state={state} />
        {current && <Text c="dimmed">This delivery</Text>}
        <span className={classes.when}>
          <RelativeTime at={createdAt} />
        </span>
      </Group>
      {resolution === 'erased' && <Text mt={4}>Erased with the event’s customer</Text>}
      {resolution && resolution !== 'erased' && (
        <Text mt={4}>
          {resolution === 'discarded' ? 'Discarded' : 'Redelivered'}
          {by && <> by {by}</>}
          {next && (
            <>
              , <RelativeTime at={next.createdAt} />
            </>
          )}
          {next?.batchId && (
            <>
              , in a{' '}
              <Anchor component={Link} to={`/batches/${next.batchId}`}>
                batch
              </Anchor>
            </>
          )}
          {reason ? (
            <>
              : <UntrustedText text={reason} />
            </>
          ) : (
            ', no reason given'
          )}
        </Text>
      )}
    </li>
  );
}
