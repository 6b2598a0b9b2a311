import type { components, Gatehouse } from '@gatehouse/server';
import { Option, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { parseDuration, parseFutureTime, parseList, parseNumber } from '../options.js';
import { formatTime, printJson, printLine, printNote } from '../output.js';
import { addPageOptions, printPages, type PageOptions } from '../print-pages.js';
import { getProjectId } from '../project.js';
import { confirm } from '../prompt.js';
import type { Column } from '../table.js';
import { visibleText } from '../console-shared/visible-text.js';

type ApiKey = components['schemas']['ApiKeyResponse'];
type CreateBody = Parameters<Gatehouse['apiKeys']['create']>[1];
type CreateOptions = Omit<CreateBody, 'name'>;

interface RotateOptions {
  overlap?: number;
  rateLimit?: number;
}

const columns: Column<ApiKey>[] = [
  { title: 'Id', value: ({ id }) => id, isFixed: true },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Key', value: ({ prefix, last4 }) => `${prefix}…${last4}` },
  { title: 'Access', value: ({ type, access }) => (type === 'secret' ? access : type) },
  {
    title: 'State',
    value: describeState,
    style: (key) => (describeState(key) === 'active' ? 'green' : 'dim'),
  },
  { title: 'Scopes', value: ({ scopes }) => scopes.join(','), isOptional: true },
  { title: 'Last used', value: ({ lastUsedAt }) => formatTime(lastUsedAt), isOptional: true },
  { title: 'Expires', value: ({ expiresAt }) => formatTime(expiresAt), isOptional: true },
];

/** Adds `gatehouse keys`. */
export function addKeysCommand(program: Command, cli: Cli): void {
  const keys = program
    .command('keys')
    .helpCommand(false)
    .summary('list, create, rotate and revoke API keys')
    .description('List, create, rotate and revoke the API keys of a project.');
  addList(keys, cli);
  addCreate(keys, cli);
  addRotate(keys, cli);
  addRevoke(keys, cli);
}

function describeState({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return 'revoked';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function addList(keys: Command, cli: Cli): void {
  const command = keys
    .command('list')
    .summary('list API keys')
    .description('List the API keys of a project, newest first. Requires the scope api_key:read.');
  addPageOptions(command).action(async (options: PageOptions) => {
    const client = cli.connect();
    const projectId = await getProjectId(cli, client);
    await printPages(cli, options, {
      read: (page) => client.apiKeys.list(projectId, page, { signal: cli.signal }).page(),
      columns,
      empty: 'No API keys',
    });
  });
}

function addCreate(keys: Command, cli: Cli): void {
  keys
    .command('create')
    .summary('create an API key')
    .description(
      'Create an API key and print its value, which is shown only once. The key cannot have more permissions than the ' +
        'key that creates it. Requires the scope api_key:write.',
    )
    .argument('<name>', 'name of the key, such as "Order service"')
    .addOption(
      new Option('--type <type>', 'type of the key; default: secret').choices(['secret', 'publishable']),
    )
    .addOption(
      new Option('--access <access>', 'projects that a secret key can access; default: project').choices([
        'project',
        'organization',
      ]),
    )
    .option(
      '--scopes <scopes>',
      'scopes, separated by commas; default: customer:read,customer:write',
      parseList,
    )
    .option('--rate-limit <n>', 'requests per second; default: 100', parseNumber(1, 10_000))
    .option(
      '--expires-at <time>',
      'time at which the key expires, or a duration such as 90d',
      parseFutureTime,
    )
    .action(async (name: string, options: CreateOptions) => {
      const client = cli.connect();
      const projectId = await getProjectId(cli, client);
      const body = { name, ...options };
      await printKey(cli, await client.apiKeys.create(projectId, body, { signal: cli.signal }));
    });
}

function addRotate(keys: Command, cli: Cli): void {
  keys
    .command('rotate')
    .summary('replace an API key')
    .description(
      'Create a key with the same permissions and print its value, which is shown only once. The previous key stays ' +
        'valid for a while. Requires the scope api_key:write.',
    )
    .argument('<id>', 'id of the previous key')
    .option('--overlap <duration>', 'how long the previous key stays valid; default: 1d', parseDuration)
    .option(
      '--rate-limit <n>',
      'requests per second; default: same as the previous key',
      parseNumber(1, 10_000),
    )
    .action(async (id: string, { overlap, rateLimit }: RotateOptions) => {
      const client = cli.connect();
      const projectId = await getProjectId(cli, client);
      const body = {
        ...(overlap !== undefined && { overlapSeconds: overlap }),
        ...(rateLimit !== undefined && { rateLimit }),
      };
      await printKey(cli, await client.apiKeys.rotate(projectId, id, body, { signal: cli.signal }));
    });
}

function addRevoke(keys: Command, cli: Cli): void {
  keys
    .command('revoke')
    .summary('revoke an API key')
    .description(
      'Revoke an API key. Requests with it are rejected within a second. Requires the scope api_key:write.',
    )
    .argument('<id>', 'id of the key')
    .option('--yes', 'skip the confirmation prompt')
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const client = cli.connect();
      const projectId = await getProjectId(cli, client);
      await confirm(cli, `Revoke the key ${visibleText(id)}? This cannot be undone.`, yes);
      await client.apiKeys.revoke(projectId, id, { signal: cli.signal });
      if (cli.isJson) await printJson(cli, { id, revoked: true });
      else await printLine(cli, `Revoked the key ${visibleText(id)}.`);
    });
}

/** Prints a new key. Only its value goes to stdout, so that a script can store it. */
async function printKey(cli: Cli, key: components['schemas']['CreatedApiKeyResponse']): Promise<void> {
  if (cli.isJson) await printJson(cli, key);
  else await printLine(cli, visibleText(key.key));
  const expiry = key.expiresAt ? ` It expires at ${formatTime(key.expiresAt)}.` : '';
  await printNote(
    cli,
    `Created the key ${visibleText(key.id)} (${visibleText(key.name)}).${expiry} Store its value now: it is shown only once.`,
  );
}
