import type { ReactNode } from 'react';
import { attemptColumns } from '../lists/attempt-columns';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';

const { response, event, attempt, delivery, duration, startedAt } = attemptColumns;
const columns = [
  { ...response, width: '10rem' },
  event,
  { ...attempt, align: undefined },
  { ...delivery, wideOnly: false },
  duration,
  startedAt,
];

const OTHER_PARAMS = ['window'] as const;

/** Lists the newest attempts of an endpoint. */
export function EndpointAttempts({ endpointId }: { endpointId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/attempts',
    fixedQuery: { endpoint_id: endpointId },
    otherParams: OTHER_PARAMS,
    pageSize: 10,
  });
  return (
    <List
      list={list}
      noun="attempts"
      columns={columns}
      href={(row) => `/deliveries/${row.delivery_id}`}
      live
      empty={{
        title: 'No attempts yet',
        text: 'Send a test event to check that the endpoint responds.',
      }}
    />
  );
}
