import type { Schemas } from '../http/client';
import { errorLabel } from './explain-attempt';
import { UntrustedText } from '../components/untrusted-text';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus, StatusBadge } from '../components/status-badge';
import { formatDuration } from '../components/time';
import type { Column } from '../lists/list-table';

/** The columns for attempt lists. Each list selects the columns that it has space for. */
export const attemptColumns = {
  response: {
    header: 'Response',
    status: true,
    width: '9rem',
    cell: (row) => <HttpStatus status={row.http_status} error={row.error && errorLabel(row.error)} />,
  },
  event: { header: 'Event', primary: true, cell: (row) => row.event },
  endpoint: {
    header: 'Endpoint',
    truncate: true,
    cell: (row) => <UntrustedText text={row.endpoint_name} tooltip={row.target_url} oneLine />,
  },
  attempt: { header: 'Attempt', align: 'right', cell: (row) => `${row.attempt} of ${row.max_attempts}` },
  duration: {
    header: 'Duration',
    align: 'right',
    wideOnly: true,
    cell: (row) => formatDuration(row.duration_ms),
  },
  delivery: {
    header: 'Delivery',
    wideOnly: true,
    cell: (row) => <StatusBadge state={row.delivery_state} />,
  },
  startedAt: { header: 'Time', align: 'right', cell: (row) => <RelativeTime at={row.created_at} /> },
} satisfies Record<string, Column<Schemas['AttemptResponse']>>;
