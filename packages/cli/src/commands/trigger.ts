import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { components, Gatehouse } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { CliError, usageError } from '../cli-error.js';
import { printJson, printLine } from '../output.js';
import { visibleText } from '../console-shared/visible-text.js';

interface Options {
  data?: string;
  endpoint?: string;
  idempotencyKey?: string;
}

const TEST_EVENT = 'webhook.test';

/** Adds `gatehouse trigger`. */
export function addTriggerCommand(program: Command, cli: Cli): void {
  program
    .command('trigger')
    .summary('send a custom event or a test event')
    .description(
      'Send a custom event, such as app.order.paid, or send webhook.test to one endpoint. Requires the scope ' +
        'event:write, or webhook:read and webhook:write for webhook.test.',
    )
    .argument('<type>', 'app.… or webhook.test')
    .option('--data <json|@file>', 'data of a custom event; default: {}')
    .option('--endpoint <id>', 'endpoint that receives webhook.test; default: the only endpoint')
    .option('--idempotency-key <key>', 'send a custom event only once with this key')
    .action((type: string, options: Options) => {
      if (type === TEST_EVENT) return sendTest(cli, options);
      if (type.startsWith('app.')) return sendCustom(cli, type, options);
      throw usageError(
        `The type ${type} cannot be triggered: Gatehouse emits it when the corresponding change occurs.`,
        'Change a record in a test project, redeliver an earlier event (gatehouse deliveries list --event <type>), or ' +
          'trigger app.… or webhook.test.',
      );
    });
}

async function sendCustom(cli: Cli, type: string, options: Options): Promise<void> {
  if (options.endpoint) throw usageError('--endpoint applies only to webhook.test.');
  const data = readData(cli, options.data ?? '{}');
  const client = cli.connect();
  const { projectId } = cli.settings();
  const members = [`"type":${JSON.stringify(type)}`, `"data":${data}`];
  if (projectId) members.push(`"project_id":${JSON.stringify(projectId)}`);
  // Sent as a string, so that receivers get the data exactly as the user wrote it, with all digits of its numbers.
  const body = `{${members.join(',')}}` as unknown as components['schemas']['CustomEventRequest'];
  const { data: event } = (await client.request('POST', '/v1/events', {
    body,
    headers: { 'content-type': 'application/json' },
    signal: cli.signal,
    ...(options.idempotencyKey && { idempotencyKey: options.idempotencyKey }),
  })) as { data: components['schemas']['EventResponse'] };
  if (cli.isJson) await printJson(cli, event);
  else await printLine(cli, `Sent ${visibleText(event.type)} as ${visibleText(event.id)}.`);
}

/** Returns the JSON from the option `--data`, unchanged. @throws CliError if it is not a JSON object */
function readData(cli: Cli, value: string): string {
  const text = value.startsWith('@') ? readFile(cli, value.slice(1)) : value;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `--data is not valid JSON: ${(error as Error).message}`,
      'Quote it: --data \'{"id": 1}\'.',
    );
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw usageError('--data is not a JSON object.', 'Use an object: --data \'{"id": 1}\'.');
  return text.trim();
}

function readFile(cli: Cli, name: string): string {
  try {
    return readFileSync(resolve(cli.cwd, name), 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw usageError(`Cannot read the --data file: ${(error as Error).message}`);
  }
}

async function sendTest(cli: Cli, { data, endpoint, idempotencyKey }: Options): Promise<void> {
  if (data !== undefined || idempotencyKey !== undefined)
    throw usageError('--data and --idempotency-key apply only to custom events.');
  const client = cli.connect();
  const id = endpoint ?? (await getOnlyEndpoint(cli, client));
  const delivery = await client.webhookEndpoints.sendTest(id, { signal: cli.signal });
  if (cli.isJson) return printJson(cli, delivery);
  await printLine(
    cli,
    `Sent webhook.test as ${visibleText(delivery.event_id)} to ${visibleText(delivery.target_url)}.`,
  );
  const deliveryId = visibleText(delivery.id);
  await printLine(cli, `The delivery is ${deliveryId}: gatehouse deliveries show ${deliveryId}`);
}

/** Returns the only endpoint's id. @throws CliError if there is none, or more than one */
async function getOnlyEndpoint(cli: Cli, client: Gatehouse): Promise<string> {
  const { projectId } = cli.settings();
  const query = projectId ? { project_id: projectId } : {};
  const { data: endpoints } = await client.webhookEndpoints.list(query, { signal: cli.signal }).page();
  const [only, ...others] = endpoints;
  if (only && others.length === 0) return only.id;
  if (!only)
    throw new CliError('There is no webhook endpoint.', { fix: 'Create one (see docs/webhooks.md).' });
  const names = endpoints.map(({ id, url }) => `${id} (${visibleText(url)})`).join(', ');
  throw usageError(`There are several webhook endpoints: ${names}.`, 'Choose one with --endpoint <id>.');
}
