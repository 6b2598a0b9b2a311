import { ActionIcon, Tooltip } from '@mantine/core';
import { Actor } from '../app/actor';
import type { Schemas } from '../http/client';
import type { Column } from '../lists/list-table';
import { errorName } from '../parts/attempt-error';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { RelativeTime } from '../parts/relative-time';
import { HttpStatus } from '../parts/status-badge';

export type DeadLetter = Schemas['NamedDeadLetterResponse'];

const known: Column<DeadLetter>[] = [
  {
    header: 'Last response',
    width: '9rem',
    cell: ({ last_attempt: { http_status: status, error } }) => (
      <HttpStatus status={status} error={error && errorName(error)} />
    ),
  },
  { header: 'Event', primary: true, cell: (row) => row.event },
  { header: 'URL', truncate: true, cell: (row) => <ForeignText text={row.target_url} oneLine mono /> },
];

const made: Column<DeadLetter> = {
  header: 'Created',
  align: 'right',
  wideOnly: true,
  cell: (row) => <RelativeTime at={row.created_at} />,
};

const failed: Column<DeadLetter> = {
  header: 'Failed',
  align: 'right',
  cell: (row) => <RelativeTime at={row.finished_at} />,
};

const resolved: Column<DeadLetter>[] = [
  {
    header: 'Resolved by',
    truncate: true,
    width: '14%',
    wideOnly: true,
    cell: (row) => <Actor by={row.resolved_by} name={row.resolved_by_name} oneLine />,
  },
  {
    header: 'Reason',
    truncate: true,
    width: '22%',
    cell: (row) => <ForeignText text={row.reason} oneLine none="No reason given" />,
  },
];

/** @param redeliver offers to deliver one again; null for whoever may not */
export function columnsOf(view: string, redeliver: ((id: string) => void) | null): Column<DeadLetter>[] {
  if (view !== 'waiting')
    return [...known.slice(0, -1), { ...known.at(-1)!, width: '26%' }, ...resolved, failed];
  if (!redeliver) return [...known, made, failed];
  const action: Column<DeadLetter> = {
    header: 'Action',
    align: 'right',
    width: '4rem',
    cell: ({ id }) => (
      <Tooltip label="Redeliver">
        <ActionIcon variant="subtle" size="sm" aria-label={`Redeliver ${id}`} onClick={() => redeliver(id)}>
          <Icon name="redeliver" size={15} />
        </ActionIcon>
      </Tooltip>
    ),
  };
  return [...known, made, failed, action];
}
