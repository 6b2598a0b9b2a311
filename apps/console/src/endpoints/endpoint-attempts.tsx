import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCan } from '../session/roles';
import { comparison } from '../charts/compare-switch';
import { attemptColumns } from '../deliveries/attempt-columns';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';
import { Icon } from '../components/icon';
import { MAX_REPLAYS, ReplayDialog } from '../deliveries/replay-dialog';
import { toastSuccess } from '../components/toast';

const { response, event, attempt, delivery, duration, startedAt } = attemptColumns;
const columns = [
  { ...response, width: '10rem' },
  event,
  { ...attempt, align: undefined },
  { ...delivery, wideOnly: false },
  duration,
  startedAt,
];

const OTHER_PARAMS = ['window', comparison.name] as const;

/** Lists an endpoint's newest attempts. Admins can replay the deliveries behind selected attempts. */
export function EndpointAttempts({ endpointId }: { endpointId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/attempts',
    fixedQuery: { endpoint_id: endpointId },
    otherParams: OTHER_PARAMS,
    pageSize: 10,
  });
  const [replayed, setReplayed] = useState<string[]>([]);
  const canReplay = useCan('admin');
  return (
    <>
      <List
        list={list}
        noun="attempts"
        columns={columns}
        href={(row) => `/deliveries/${row.delivery_id}`}
        isSelectable={canReplay ? () => true : undefined}
        actions={(rows) => {
          const ids = [...new Set(rows.map((row) => row.delivery_id))];
          return (
            <Button
              variant="default"
              leftSection={<Icon name="delivery" />}
              disabled={ids.length > MAX_REPLAYS}
              onClick={() => setReplayed(ids)}
            >
              {ids.length > MAX_REPLAYS
                ? `Select at most ${MAX_REPLAYS} deliveries`
                : 'Replay to another URL'}
            </Button>
          );
        }}
        live
        empty={{
          title: 'No attempts yet',
          text: 'Send a test event to check that the endpoint responds.',
        }}
      />
      <ReplayDialog
        ids={replayed}
        onClose={() => setReplayed([])}
        onDone={({ done }) => {
          list.select(
            [...list.selected.values()].filter((row) => done.includes(row.delivery_id)),
            false,
          );
          const replays = done.length === 1 ? '1 replay' : `${done.length} replays`;
          toastSuccess(`${replays} created. See the responses below.`);
        }}
      />
    </>
  );
}
