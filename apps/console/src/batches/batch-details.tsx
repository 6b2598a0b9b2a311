import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Actor } from '../audit/actor';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Id } from '../components/id';
import type { Batch, NamedBatch } from './redelivery-batch';
import { EndpointName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { useFormatTime } from '../components/use-time-zone';
import { filterEntries, filterLabels } from './batch-format';

/** Renders the details of a batch: who planned, started and canceled it, when and why. */
export function BatchDetails({ batch }: { batch: NamedBatch }): ReactNode {
  const { reason, started_by: startedBy, cancelled_by: cancelledBy, started_at: startedAt } = batch;
  return (
    <PropertyList
      items={{
        Batch: <Id id={batch.id} />,
        Reason: <UntrustedText text={reason} fallback={batch.state === 'planned' ? 'None' : '–'} />,
        Planned: (
          <>
            <RelativeTime at={batch.created_at} /> by{' '}
            <Actor actor={batch.created_by} name={batch.created_by_name} />
          </>
        ),
        ...(startedAt && {
          Started: (
            <>
              <RelativeTime at={startedAt} /> by <Actor actor={startedBy} name={batch.started_by_name} />
            </>
          ),
        }),
        ...(cancelledBy && { 'Canceled by': <Actor actor={cancelledBy} name={batch.cancelled_by_name} /> }),
        ...(batch.finished_at && { Finished: <RelativeTime at={batch.finished_at} /> }),
        Matched: batch.total.toLocaleString('en'),
        Eligible: batch.eligible.toLocaleString('en'),
      }}
    />
  );
}

/** Renders the filter that a batch was planned with. */
export function BatchFilter({ batch }: { batch: Batch }): ReactNode {
  const entries = filterEntries(batch, useFormatTime());
  if (entries.length === 0) return <Text c="dimmed">All dead letters</Text>;
  return (
    <PropertyList
      items={Object.fromEntries(
        entries.map(({ name, text, path }) => [
          name,
          name === filterLabels.endpoint_id ? (
            <EndpointName key={name} id={text} link />
          ) : path ? (
            <Id key={name} id={text} to={path} />
          ) : (
            <UntrustedText key={name} text={text} />
          ),
        ]),
      )}
    />
  );
}

/** Renders a batch's filter in one line, for table rows. */
export function BatchFilterLine({ batch }: { batch: Batch }): ReactNode {
  const entries = filterEntries(batch, useFormatTime()).filter(
    ({ name }) => name !== filterLabels.delivery_state,
  );
  if (entries.length === 0) return 'All dead letters';
  return entries.map(({ name, text }, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      {name} {name === filterLabels.endpoint_id ? <EndpointName id={text} /> : <UntrustedText text={text} />}
    </Fragment>
  ));
}
