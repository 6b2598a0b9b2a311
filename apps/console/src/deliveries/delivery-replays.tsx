import { Anchor, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Actor } from '../audit/actor';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { errorLabel } from './explain-attempt';
import { JsonView } from '../components/json-view';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus, StatusBadge } from '../components/status-badge';
import { formatDuration } from '../components/time';
import { UntrustedText } from '../components/untrusted-text';
import type { Delivery } from './explain-redelivery-rejection';
import classes from './timeline.module.css';

type Replay = Schemas['ReplayResponse'];

const LIVE_INTERVAL_MS = 1_000;

/** Renders a delivery's newest replays to other URLs, with their responses. Polls until all have finished. */
export function DeliveryReplays({ delivery }: { delivery: Delivery }): ReactNode {
  const { data: replays } = useGet(
    '/operator/v1/webhooks/replays',
    { query: { delivery_id: delivery.id } },
    {
      refetchInterval: (response) =>
        response?.data.some(({ state }) => state === 'pending') ? LIVE_INTERVAL_MS : false,
    },
  );
  if (!replays || replays.data.length === 0) return null;
  return (
    <Paper component="section" aria-label="Replays to other URLs">
      <Title order={2} mb="sm">
        Replays to other URLs
      </Title>
      <ol className={classes.timeline} aria-label="Replays to other URLs">
        {replays.data.map((replay) => (
          <ReplayItem key={replay.id} replay={replay} />
        ))}
      </ol>
      {replays.has_more && (
        <Text c="dimmed" mt="xs">
          Only the newest replays are shown.{' '}
          <Anchor component={Link} to={`/endpoints/${delivery.endpoint_id}`} inherit>
            View all replays of the endpoint
          </Anchor>
        </Text>
      )}
    </Paper>
  );
}

function ReplayItem({ replay }: { replay: Replay }): ReactNode {
  const { state, http_status: status, error, duration_ms: duration, response_body: body } = replay;
  const color = { succeeded: classes.good, failed: classes.bad, pending: classes.due, cancelled: '' }[state];
  return (
    <li className={`${classes.attempt} ${color}`}>
      <div className={classes.head}>
        <StatusBadge state={state} />
        {status !== null && <HttpStatus status={status} error={error && errorLabel(error)} />}
        {duration !== null && <Text c="dimmed">{formatDuration(duration)}</Text>}
        <span className={classes.when}>
          <RelativeTime at={replay.created_at} />
        </span>
      </div>
      <Text mt={4}>
        <UntrustedText text={replay.url} mono />
      </Text>
      <Text c="dimmed">
        By <Actor actor={replay.created_by} name={replay.created_by_name} />
      </Text>
      {body && (
        <details className={classes.body}>
          <summary>Response body</summary>
          <JsonView name="Response to the replay" value={body} />
        </details>
      )}
    </li>
  );
}
