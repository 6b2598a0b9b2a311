import { ActionIcon } from '@mantine/core';
import { Actor } from '../audit/actor';
import type { Schemas } from '../http/client';
import { summaryColumns } from '../deliveries/delivery-columns';
import type { Column } from '../lists/list-table';
import { errorLabel } from '../deliveries/explain-attempt';
import { UntrustedText } from '../components/untrusted-text';
import { HoverTooltip } from '../components/hover-tooltip';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus } from '../components/status-badge';

export type DeadLetter = Schemas['NamedDeadLetterResponse'];

const commonColumns: Column<DeadLetter>[] = [
  {
    header: 'Last response',
    status: true,
    width: '9rem',
    cell: ({ last_attempt: { http_status: status, error } }) => (
      <HttpStatus status={status} error={error && errorLabel(error)} />
    ),
  },
  summaryColumns.event,
  { ...summaryColumns.endpoint, width: '26%' },
  { ...summaryColumns.project, width: '20%' },
];

const createdColumn: Column<DeadLetter> = { ...summaryColumns.createdAt, wideOnly: true };

const failedColumn: Column<DeadLetter> = {
  header: 'Failed',
  align: 'right',
  cell: (row) => <RelativeTime at={row.finished_at} />,
};

const resolutionColumns: Column<DeadLetter>[] = [
  {
    header: 'Resolved by',
    truncate: true,
    width: '14%',
    wideOnly: true,
    cell: (row) => <Actor actor={row.resolved_by} name={row.resolved_by_name} oneLine />,
  },
  {
    header: 'Reason',
    truncate: true,
    width: '22%',
    cell: (row) => <UntrustedText text={row.reason} oneLine fallback="No reason given" />,
  },
];

/**
 * Returns a view's columns.
 * @param redeliver opens the dialog to redeliver one dead letter; null if the operator may not redeliver
 */
export function deadLetterColumns(
  view: string,
  redeliver: ((id: string) => void) | null,
): Column<DeadLetter>[] {
  if (view !== 'waiting') return [...commonColumns.slice(0, -1), ...resolutionColumns, failedColumn];
  if (!redeliver) return [...commonColumns, createdColumn, failedColumn];
  const action: Column<DeadLetter> = {
    header: 'Action',
    hideable: false,
    align: 'right',
    width: '4rem',
    cell: ({ id }) => (
      <HoverTooltip label={() => 'Redeliver'}>
        <ActionIcon variant="subtle" size="sm" aria-label={`Redeliver ${id}`} onClick={() => redeliver(id)}>
          <Icon name="redeliver" size={15} />
        </ActionIcon>
      </HoverTooltip>
    ),
  };
  return [...commonColumns, createdColumn, failedColumn, action];
}
