import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { createFeedReader, followFeed, type FeedEvent } from '../follow-feed.js';
import { parsePastTime } from '../options.js';
import { formatTime, printJson, printLine, printNote, styled } from '../output.js';
import { visibleJson, visibleText } from '../console-shared/visible-text.js';
import { fitText, widthOf } from '../text-width.js';

interface TailOptions {
  types?: string;
  since?: string;
}

/** Adds `gatehouse events`. */
export function addEventsCommand(program: Command, cli: Cli): void {
  const events = program
    .command('events')
    .helpCommand(false)
    .summary('follow events')
    .description('Follow the events of a project or organization.');
  events
    .command('tail')
    .summary('print events as they happen')
    .description('Print events as they happen, until Ctrl-C. Requires the scope event:read.')
    .option(
      '--types <types>',
      'only these types, separated by commas, such as customer.created,session.*,app.*',
    )
    .option(
      '--since <time>',
      'start with the events after this time; accepts a duration such as 10m; default: only new events',
      parsePastTime,
    )
    .action((options: TailOptions) => tail(cli, options));
}

async function tail(cli: Cli, { types, since }: TailOptions): Promise<void> {
  const { projectId } = cli.settings();
  const read = createFeedReader(cli.connect(), { projectId, types, createdAfter: since });
  const pages = followFeed(read, undefined, {
    wait: cli.wait,
    signal: cli.signal,
    onOutage: (error) =>
      printNote(
        cli,
        error ? `Waiting for Gatehouse: ${visibleText(error.message)}` : 'Gatehouse responds again.',
      ),
  });
  for await (const { events } of pages)
    for (const event of events) {
      if (cli.isJson) await printJson(cli, event);
      else await printLine(cli, describeEvent(cli, event));
    }
}

/** Returns an event as one line. On a terminal, the data is shortened to the terminal's width. */
function describeEvent(cli: Cli, { created_at: createdAt, type, id, data, erased }: FeedEvent): string {
  const head = [formatTime(createdAt), visibleText(type).padEnd(24), visibleText(id)];
  const content = erased ? '(erased)' : visibleJson(data);
  const available = cli.stdout.isTTY ? (cli.stdout.columns ?? 80) - widthOf(head.join('  ')) - 2 : Infinity;
  const shown = available === Infinity ? content : available > 8 ? fitText(content, available) : '';
  const [time, name, ...rest] = head;
  return [styled(cli, 'dim', time!), styled(cli, 'cyan', name!), ...rest, shown].join('  ').trimEnd();
}
