import type { components } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { formatTime, printJson, printLine, printRecord, styled } from '../../output.js';
import { visibleLines, visibleText } from '../../console-shared/visible-text.js';
import { describeResponse, styleOf } from './list-deliveries.js';

type Delivery = components['schemas']['DeliveryResponse'];

/** Maximum number of printed lines per body. `--json` prints the whole stored body. */
const EXCERPT_LINES = 10;
const EXCERPT_CHARACTERS = 1_000;

/** Adds `gatehouse deliveries show`. */
export function addShowDeliveryCommand(deliveries: Command, cli: Cli): void {
  deliveries
    .command('show')
    .summary('show a delivery and its attempts')
    .description('Show a delivery with its request and attempts. Requires the scope webhook:read.')
    .argument('<id>', 'id of the delivery or of one of its attempts')
    .action(async (id: string) => {
      const delivery = await cli.connect().deliveries.get(id, undefined, { signal: cli.signal });
      if (cli.isJson) return printJson(cli, delivery);
      await printDelivery(cli, delivery);
    });
}

async function printDelivery(cli: Cli, delivery: Delivery): Promise<void> {
  await printRecord(cli, [
    ['Delivery', delivery.id],
    ['State', delivery.state],
    ['Event', `${delivery.event} (${delivery.event_id})`],
    ['Endpoint', `${delivery.endpoint_name} (${delivery.endpoint_id})`],
    ['URL', delivery.target_url],
    ['Created', formatTime(delivery.created_at)],
    ['Finished', formatTime(delivery.finished_at)],
    ['Next attempt', formatTime(delivery.next_attempt_at)],
    ['Redelivery of', delivery.redelivery_of],
    ['Redelivered as', delivery.redelivered_as],
    ['Resolution', delivery.resolution],
    ['Reason', delivery.reason],
  ]);
  await printHeading(cli, 'Request');
  for (const [name, value] of Object.entries(delivery.request.headers))
    await printLine(cli, `  ${visibleText(`${name}: ${value}`)}`);
  await printExcerpt(cli, delivery.request.body);
  for (const attempt of delivery.attempts) {
    await printHeading(cli, `Attempt ${attempt.attempt}/${attempt.max_attempts}`);
    const outcome = styled(cli, styleOf(attempt), visibleText(describeResponse(attempt)));
    const error = attempt.http_status > 0 && attempt.error ? `, ${visibleText(attempt.error)}` : '';
    await printLine(
      cli,
      `  ${formatTime(attempt.created_at)}  ${outcome}${error}  ${attempt.duration_ms} ms`,
    );
    await printExcerpt(cli, attempt.response_body);
  }
}

async function printHeading(cli: Cli, text: string): Promise<void> {
  await printLine(cli);
  await printLine(cli, styled(cli, 'bold', text));
}

/** Prints the beginning of a body, indented. */
async function printExcerpt(cli: Cli, body: string): Promise<void> {
  if (!body) return;
  const lines = visibleLines(body.slice(0, EXCERPT_CHARACTERS));
  for (const line of lines.slice(0, EXCERPT_LINES)) await printLine(cli, `  ${line}`);
  if (lines.length > EXCERPT_LINES || body.length > EXCERPT_CHARACTERS)
    await printLine(cli, styled(cli, 'dim', `  … ${body.length} characters. --json prints all of them.`));
}
