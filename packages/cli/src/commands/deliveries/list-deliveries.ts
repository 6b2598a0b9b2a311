import type { components } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { formatTime, type Style } from '../../output.js';
import { addPageOptions, printPages, type PageOptions } from '../../print-pages.js';
import type { Column } from '../../table.js';
import { addFilterOptions, toFilter, type FilterOptions } from './filter.js';

type Attempt = components['schemas']['AttemptResponse'];

const columns: Column<Attempt>[] = [
  { title: 'Time', value: ({ created_at: time }) => formatTime(time) },
  { title: 'Response', value: describeResponse, style: styleOf },
  { title: 'Event', value: ({ event }) => event },
  { title: 'Endpoint', value: ({ endpoint_name: name }) => name, isOptional: true },
  { title: 'Attempt', value: ({ attempt, max_attempts: most }) => `${attempt}/${most}` },
  { title: 'State', value: ({ delivery_state: state }) => state, isOptional: true },
  { title: 'Delivery', value: ({ delivery_id: id }) => id, isFixed: true },
];

/** Returns an attempt's HTTP status, or its error if it has no response. */
export function describeResponse({ http_status: status, error }: Attempt): string {
  return status > 0 ? String(status) : (error ?? 'none');
}

export function styleOf({ success }: Attempt): Style {
  return success ? 'green' : 'red';
}

/** Adds `gatehouse deliveries list`. */
export function addListDeliveriesCommand(deliveries: Command, cli: Cli): void {
  const command = deliveries
    .command('list')
    .summary('list delivery attempts')
    .description('List delivery attempts, newest first. Requires the scope webhook:read.')
    .option('--delivery-id <id>', 'only this delivery')
    .option('--failed', 'only attempts that failed');
  addFilterOptions(command, ['pending', 'succeeded', 'failed', 'cancelled']);
  addPageOptions(command).action(
    (
      options: PageOptions &
        FilterOptions & { state?: Attempt['delivery_state']; deliveryId?: string; failed?: boolean },
    ) => {
      const { deliveries: resource } = cli.connect();
      const filter = {
        ...toFilter(options, cli.settings().projectId),
        ...(options.state && { delivery_state: options.state }),
        ...(options.deliveryId && { delivery_id: options.deliveryId }),
        ...(options.failed && { success: false }),
      };
      return printPages(cli, options, {
        read: (page) => resource.listAttempts({ ...filter, ...page }, { signal: cli.signal }).page(),
        columns,
        empty: 'No delivery attempts',
      });
    },
  );
}
