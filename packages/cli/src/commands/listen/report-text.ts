import type { Cli } from '../../cli.js';
import { formatTime, printLine, printNote, styled } from '../../output.js';
import { visibleText } from '../../console-shared/visible-text.js';
import { fitText } from '../../text-width.js';
import type { ListenRecord } from './listen-record.js';

type Response = Extract<ListenRecord, { kind: 'response' }>;
type Summary = Extract<ListenRecord, { kind: 'summary' }>;
type Ready = Extract<ListenRecord, { kind: 'ready' }>;

const TYPE_WIDTH = 24;
const EXCERPT_WIDTH = 200;

/** Prints a record in readable form: responses to stdout, everything else to stderr. */
export async function reportText(cli: Cli, record: ListenRecord): Promise<void> {
  if (record.kind === 'response') await printResponse(cli, record);
  else for (const line of describe(cli, record)) await printNote(cli, line);
}

function describe(cli: Cli, record: Exclude<ListenRecord, Response>): string[] {
  switch (record.kind) {
    case 'ready':
      return describeReady(cli, record);
    case 'skipped':
      return [`Skipped ${describeEvent(record)}: its customer was deleted.`];
    case 'unreachable':
      return [
        `Waiting: ${visibleText(record.message)}. ${describeEvent(record)} and all later events wait, in order.`,
      ];
    case 'reachable':
      return [`${record.target} accepts connections again.`];
    case 'gatehouse_unavailable':
      return [`Waiting for Gatehouse: ${visibleText(record.message)}`];
    case 'gatehouse_available':
      return ['Gatehouse responds again.'];
    case 'nothing_to_redeliver':
      return ['There is no event to redeliver.'];
    case 'summary':
      return describeSummary(record);
  }
}

const describeEvent = (record: { event_id: string; event_type: string }): string =>
  visibleText(`${record.event_type} ${record.event_id}`);

function describeReady(cli: Cli, record: Ready): string[] {
  const { target, project_id: project, signing_secret: secret, signing_secret_source: source } = record;
  return [
    `Forwarding the events of project ${project} to ${target}`,
    secret
      ? `Signing secret: ${styled(cli, 'bold', secret, cli.stderr)} (stored in ${visibleText(source)})`
      : `Signing secret: the one in ${visibleText(source)}`,
    cli.stdin.isTTY
      ? 'Keys: r redelivers the last failed event, R all failed events, q quits. While waiting, r connects at once.'
      : 'Press Ctrl-C to quit.',
  ];
}

function describeSummary({ delivered, failed, skipped, ...position }: Summary): string[] {
  const skippedText = skipped > 0 ? `, ${skipped} skipped` : '';
  return [
    `${delivered} delivered, ${failed.length} failed${skippedText}.`,
    ...failed.map((id) => `Failed: ${visibleText(id)}`),
    ...describePosition(position),
  ];
}

function describePosition({
  cursor,
  since,
  types,
  repeated,
}: Pick<Summary, 'cursor' | 'since' | 'types' | 'repeated'>): string[] {
  if (cursor === null) return [];
  const options = [
    ...(types ? [`--types ${visibleText(types)}`] : []),
    ...(since ? [`--since ${since}`] : []),
    `--after ${visibleText(cursor)}`,
  ];
  const repetition = repeated > 0 ? ` (repeats ${repeated} events that were already sent)` : '';
  return [`To continue after the last event, use ${options.join(' ')}${repetition}`];
}

async function printResponse(cli: Cli, record: Response): Promise<void> {
  const isSuccess = record.error === null;
  const status = record.status === 0 ? '---' : String(record.status);
  const fields = [
    formatTime(record.at),
    styled(cli, isSuccess ? 'green' : 'red', status),
    visibleText(record.event_type).padEnd(TYPE_WIDTH),
    visibleText(record.event_id),
    `${record.duration_ms} ms`,
    ...(record.is_redelivery ? ['redelivered'] : []),
  ];
  await printLine(cli, fields.join('  '));
  if (!isSuccess) await printLine(cli, styled(cli, 'dim', `    ${describeFailure(record)}`));
}

function describeFailure({ message, response_body: body }: Response): string {
  const excerpt = fitText(visibleText(body.trim().replaceAll(/\s+/g, ' ')), EXCERPT_WIDTH);
  return `${visibleText(message ?? '')}${excerpt && `: ${excerpt}`}`;
}
