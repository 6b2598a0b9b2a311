import type { ReadStream } from 'node:tty';
import { GatehouseError, type Gatehouse } from '@gatehouse/server';
import type { Command } from 'commander';
import { VERSION, type Cli } from '../../cli.js';
import { ExitCode } from '../../cli-error.js';
import { createFeedReader, findCursor, followFeed, type Progress } from '../../follow-feed.js';
import { parsePastTime } from '../../options.js';
import { printJson } from '../../output.js';
import { getProjectId } from '../../project.js';
import { EventForwarder } from './event-forwarder.js';
import type { Report } from './listen-record.js';
import { parseTarget } from './parse-target.js';
import { readKeys } from './read-keys.js';
import { reportText } from './report-text.js';
import { getSigningSecret } from './signing-secret.js';

interface Options {
  forward: URL;
  types?: string;
  since?: string;
  after?: string;
  secretFile?: string;
}

/** Adds `gatehouse listen`. */
export const addListenCommand = (program: Command, cli: Cli): unknown =>
  program
    .command('listen')
    .summary('forward events to a receiver on this machine')
    .description(
      'Send each new event of a project to a URL as a signed webhook, one at a time and in the order of the feed. ' +
        'Requires the scope event:read, and project:read to find the project.',
    )
    .requiredOption(
      '--forward <url>',
      'URL of the receiver, such as http://localhost:4000/webhooks',
      parseTarget,
    )
    .option('--types <types>', 'only these types, separated by commas, such as customer.*,app.*')
    .option(
      '--since <time>',
      'start with the events after this time; accepts a duration such as 10m; default: only new events',
      parsePastTime,
    )
    .option(
      '--after <cursor>',
      'continue where an earlier call stopped; requires the same --types and --since',
    )
    .option(
      '--secret-file <file>',
      'file with the signing secret; default: GATEHOUSE_WEBHOOK_SECRET, or a generated one',
    )
    .action((options: Options) => listen(cli, options));

/** Forwards events until the user interrupts the command or presses `q`. */
async function listen(cli: Cli, options: Options): Promise<void> {
  const client = cli.connect();
  const projectId = await getReadableProject(cli, client);
  const { secret, source, isGenerated } = await getSigningSecret(cli, projectId, options.secretFile);
  const stop = new AbortController();
  const signal = AbortSignal.any([cli.signal, stop.signal]);
  const report: Report = (record) => (cli.isJson ? printJson(cli, record) : reportText(cli, record));
  const { wait } = cli;
  const { forward: target, types, since: createdAfter } = options;
  const userAgent = `Gatehouse-Webhooks/${VERSION}`;
  const forwarder = new EventForwarder({ target, secret, userAgent, wait, signal, report });
  const read = createFeedReader(client, { projectId, types, createdAfter, includeBody: true });
  const onOutage = (error: GatehouseError | null): Promise<void> =>
    report(
      error ? { kind: 'gatehouse_unavailable', message: error.message } : { kind: 'gatehouse_available' },
    );
  const progress: Progress = { page: null, handled: 0 };
  const restoreTerminal = cli.stdin.isTTY ? handleKeys(cli, forwarder, stop) : () => undefined;
  try {
    for await (const page of followFeed(read, options.after, { wait, signal, onOutage })) {
      if (!progress.page)
        await report({
          kind: 'ready',
          // Omits the query, which can contain a secret.
          target: `${target.origin}${target.pathname}`,
          project_id: projectId,
          signing_secret: isGenerated ? secret : null,
          signing_secret_source: source,
        });
      Object.assign(progress, { page, handled: 0 });
      for (const event of page.events) {
        await forwarder.forward(event);
        progress.handled += 1;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    restoreTerminal();
    await forwarder.waitUntilIdle();
    if (progress.page)
      await report({
        kind: 'summary',
        ...forwarder.counts,
        ...(await findCursor(read, progress)),
        since: createdAfter ?? null,
        types: types ?? null,
      });
  }
}

/**
 * Returns the command's project. Checks an id from the settings, because the feed of a project that the key cannot
 * access is empty.
 */
async function getReadableProject(cli: Cli, client: Gatehouse): Promise<string> {
  const projectId = await getProjectId(cli, client);
  if (!cli.settings().projectId) return projectId;
  try {
    await client.projects.get(projectId, undefined, { signal: cli.signal });
  } catch (error) {
    // A key with only `event:read` is sufficient, but cannot read its project.
    if (!(error instanceof GatehouseError && error.code === 'insufficient_scope')) throw error;
  }
  return projectId;
}

/** Handles the command's keys on the terminal. @returns a function that restores the terminal */
function handleKeys(cli: Cli, forwarder: EventForwarder, stop: AbortController): () => void {
  const redeliver = (which: 'last' | 'all') => (): void =>
    // The promise rejects only when the command ends.
    void forwarder.redeliver(which).catch(() => undefined);
  return readKeys(cli.stdin as ReadStream, {
    r: redeliver('last'),
    R: redeliver('all'),
    q: () => stop.abort(),
    'ctrl+c': () => {
      cli.exitCode = ExitCode.interrupted;
      stop.abort();
    },
  });
}
