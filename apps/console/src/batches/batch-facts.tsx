import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Actor } from '../app/actor';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Id } from '../parts/id';
import type { Batch, NamedBatch } from '../parts/redelivery-plan';
import { RelativeTime } from '../parts/relative-time';
import { filterFacts } from './batch-words';

/** Who made a batch, and why. */
export function BatchFacts({ batch }: { batch: NamedBatch }): ReactNode {
  const { reason, started_by: starter, cancelled_by: canceller, started_at: startedAt } = batch;
  return (
    <Facts
      of={{
        Batch: <Id id={batch.id} />,
        Reason: <ForeignText text={reason} none={batch.state === 'planned' ? 'None' : '–'} />,
        Planned: (
          <>
            <RelativeTime at={batch.created_at} /> by{' '}
            <Actor by={batch.created_by} name={batch.created_by_name} />
          </>
        ),
        ...(startedAt && {
          Started: (
            <>
              <RelativeTime at={startedAt} /> by <Actor by={starter} name={batch.started_by_name} />
            </>
          ),
        }),
        ...(canceller && { 'Cancelled by': <Actor by={canceller} name={batch.cancelled_by_name} /> }),
        ...(batch.finished_at && { Finished: <RelativeTime at={batch.finished_at} /> }),
        Matched: batch.total.toLocaleString('en'),
        Eligible: batch.eligible.toLocaleString('en'),
      }}
    />
  );
}

/** What it was made with. */
export function BatchFilter({ batch }: { batch: Batch }): ReactNode {
  const facts = filterFacts(batch);
  if (facts.length === 0) return <Text c="dimmed">All dead letters</Text>;
  return (
    <Facts
      of={Object.fromEntries(
        facts.map(({ name, text, to }) => [
          name,
          to ? <Id key={name} id={text} to={to} /> : <ForeignText key={name} text={text} />,
        ]),
      )}
    />
  );
}
