import type { components, Gatehouse } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError, ExitCode, usageError } from '../../cli-error.js';
import { createProgress, printJson, printLine, printNote } from '../../output.js';
import { describeError } from '../../print-error.js';
import { confirm } from '../../prompt.js';
import { visibleJson, visibleText } from '../../console-shared/visible-text.js';
import { addFilterOptions, toFilter, type FilterOptions } from './filter.js';

type Redelivery = components['schemas']['RedeliveryResponse'];

interface Options extends FilterOptions {
  state?: 'succeeded' | 'failed' | 'cancelled';
  deadLetters?: boolean;
  reason?: string;
  enableEndpoint?: boolean;
  wait: boolean;
  yes?: boolean;
}

/** Interval between requests for the progress, in ms. */
const POLL_MS = 1_000;
const DEFAULT_REASON = 'Redelivered with the gatehouse command';

/** Adds `gatehouse deliveries redeliver`. */
export function addRedeliverCommand(deliveries: Command, cli: Cli): void {
  const command = deliveries
    .command('redeliver')
    .summary('redeliver deliveries by id or filter')
    .description(
      'Redeliver deliveries by id or filter. A redelivery by filter requires a confirmation, and selects dead letters ' +
        'unless --state is passed. Requires the scope webhook:redeliver, and webhook:read for the progress.',
    )
    .argument('[ids...]', 'ids of deliveries, or of attempts')
    .option('--dead-letters', 'all dead letters that the key can access');
  addFilterOptions(command, ['failed', 'succeeded', 'cancelled'])
    .option('--reason <text>', 'reason, recorded in the deliveries and the audit log')
    .option('--enable-endpoint', 'enable disabled endpoints first; requires the scope webhook:write as well')
    .option('--no-wait', 'do not wait until a bulk redelivery is completed')
    .option('--yes', 'skip the confirmation prompt')
    .action((ids: string[], options: Options) => {
      const { projectId } = cli.settings();
      const filter = {
        ...toFilter(options, undefined),
        ...(options.state && { delivery_state: options.state }),
      };
      const hasFilter = Object.keys(filter).length > 0 || options.deadLetters === true;
      if (ids.length > 0 === hasFilter)
        throw usageError('Pass ids, or a filter such as --endpoint <id> or --dead-letters.');
      if (ids.length > 0) return redeliverEach(cli, cli.connect(), ids, options);
      const scope = projectId ? { project_id: projectId } : {};
      return redeliverInBulk(cli, cli.connect(), { ...filter, ...scope }, options);
    });
}

/** Redelivers deliveries one at a time, and continues after a delivery that Gatehouse rejects. */
async function redeliverEach(cli: Cli, client: Gatehouse, ids: string[], options: Options): Promise<void> {
  const body = {
    reason: options.reason ?? null,
    ...(options.enableEndpoint && { enable_endpoint: true }),
  };
  let failures = 0;
  for (const id of ids) {
    try {
      const delivery = await client.deliveries.redeliver(id, body, { signal: cli.signal });
      if (cli.isJson) await printJson(cli, delivery);
      else await printLine(cli, `Redelivered ${visibleText(id)} as ${visibleText(delivery.id)}.`);
    } catch (error) {
      if (ids.length === 1 || cli.signal.aborted) throw error;
      failures += 1;
      const { message } = describeError(error);
      await printNote(
        cli,
        cli.isJson ? visibleJson({ error: { id, message } }) : visibleText(`${id}: ${message}`),
      );
    }
  }
  if (failures > 0) cli.exitCode = ExitCode.failure;
}

/** Plans a bulk redelivery, and starts it once it is confirmed. */
async function redeliverInBulk(
  cli: Cli,
  { redeliveries }: Gatehouse,
  filter: Parameters<Gatehouse['redeliveries']['plan']>[0]['filter'],
  options: Options,
): Promise<void> {
  const call = { signal: cli.signal };
  const plan = await redeliveries.plan({ filter }, call);
  const rejected = plan.not_eligible.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  const isEnabling = options.enableEndpoint === true && plan.total > 0;
  await printNote(
    cli,
    `${countDeliveries(plan.total)} ${plan.total === 1 ? 'matches' : 'match'}, ${plan.eligible} can be redelivered${rejected && ` (rejected: ${visibleText(rejected)})`}.`,
  );
  if (plan.eligible === 0 && !isEnabling) {
    if (cli.isJson) await printJson(cli, plan);
    return;
  }
  const question = isEnabling
    ? 'Redeliver them and enable their endpoints?'
    : `Redeliver ${countDeliveries(plan.eligible)}?`;
  await confirm(cli, question, options.yes);
  const start = {
    reason: options.reason ?? DEFAULT_REASON,
    ...(options.enableEndpoint && { enable_endpoint: true }),
  };
  const started = await redeliveries.start(plan.id, start, call);
  const last = options.wait ? await waitForEnd(cli, redeliveries, started) : started;
  if (cli.isJson) return printJson(cli, last);
  await printLine(cli, visibleText(describeProgress(last)));
}

/**
 * Waits until no delivery is pending, or the command is interrupted.
 * @returns the bulk redelivery's latest state
 */
async function waitForEnd(
  cli: Cli,
  { get }: Gatehouse['redeliveries'],
  started: Redelivery,
): Promise<Redelivery> {
  const progress = createProgress(cli);
  let last = started;
  try {
    while (last.finished_at === null && !cli.signal.aborted) {
      progress.update(describeProgress(last));
      await cli.wait(POLL_MS);
      if (!cli.signal.aborted) last = await get(last.id, undefined, { signal: cli.signal });
    }
  } finally {
    progress.clear();
    if (last.finished_at === null)
      await printNote(cli, `The bulk redelivery ${visibleText(last.id)} continues in Gatehouse.`);
  }
  if (last.progress.failed > 0) cli.exitCode = ExitCode.failure;
  if (last.state === 'expired') throw new CliError('The plan has expired.');
  return last;
}

const countDeliveries = (count: number): string => `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;

function describeProgress({ id, progress }: Redelivery): string {
  const { succeeded, failed, cancelled, pending, remaining, skipped } = progress;
  const dropped = skipped.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    `${succeeded} succeeded`,
    `${failed} failed`,
    `${pending + remaining} pending`,
    ...(cancelled > 0 ? [`${cancelled} canceled`] : []),
    ...(dropped > 0 ? [`${dropped} skipped`] : []),
  ];
  return `${id}: ${parts.join(', ')}`;
}
