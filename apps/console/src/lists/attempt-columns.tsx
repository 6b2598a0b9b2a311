import type { Schemas } from '../http/client';
import { errorName } from '../parts/attempt-error';
import { ForeignText } from '../parts/foreign-text';
import { RelativeTime } from '../parts/relative-time';
import { HttpStatus, StatusBadge } from '../parts/status-badge';
import { duration } from '../parts/time';
import type { Column } from './list-table';

/** What lists of attempts show; each takes those that it has room for. */
export const attemptColumns = {
  answer: {
    header: 'Response',
    width: '9rem',
    cell: (row) => <HttpStatus status={row.http_status} error={row.error && errorName(row.error)} />,
  },
  event: { header: 'Event', primary: true, cell: (row) => row.event },
  target: {
    header: 'URL',
    truncate: true,
    cell: (row) => <ForeignText text={row.target_url} oneLine mono />,
  },
  attempt: { header: 'Attempt', align: 'right', cell: (row) => `${row.attempt} of ${row.max_attempts}` },
  took: { header: 'Duration', align: 'right', wideOnly: true, cell: (row) => duration(row.duration_ms) },
  delivery: {
    header: 'Delivery',
    wideOnly: true,
    cell: (row) => <StatusBadge state={row.delivery_state} />,
  },
  when: { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
} satisfies Record<string, Column<Schemas['AttemptResponse']>>;
