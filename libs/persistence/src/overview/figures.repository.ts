import { coveringBuckets, type Bucket } from '@gatehouse/domain';
import { lowestId, timeOfId } from '../id-times.js';
import type { Transactions, Tx } from '../transactions.js';
import { ALONG_INDEXES, beginOfLog, HOUSE } from './counted.js';
import { FIGURES_OF_HOUSE, FIGURES_OF_PROJECT, MOST_LIVE } from './figures-query.js';
import { readWaiting, type Waiting } from './waiting.js';

/** Longest time between what the id of an attempt says and its `started_at`, with room to spare, in ms. */
const SLACK_MS = 60_000;

export interface EventShare {
  event: string;
  attempts: number;
  failed: number;
}

export interface EndpointShare {
  endpointId: string;
  url: string;
  /** Of the endpoint. */
  projectId: string | null;
  attempts: number;
  failed: number;
}

/** How attempts went since the beginning of a bucket, as of one moment. */
export interface OverviewFigures extends Waiting {
  /** Up to when attempts are counted. */
  to: Date;
  /** Since when all attempts are counted, while older ones still are to be. */
  completeFrom: Date | null;
  /** Stored figures of the buckets that have any, in any order; several of one bucket add up. */
  series: { at: number; counts: number[] }[];
  /** Those with the most attempts. */
  byEvent: EventShare[];
  /** Those with the most failed attempts. */
  worstEndpoints: EndpointShare[];
}

interface Row extends Pick<OverviewFigures, 'series' | 'byEvent' | 'worstEndpoints'> {
  liveCount: number;
  /** Milliseconds since 1970 of the newest attempt that was counted live. */
  liveTo: number | null;
}

/** Figures of the whole house or of a project, however long the log is: what the workers have counted, and the rest. */
export class FiguresRepository {
  /** @param retentionMs how long the log is kept */
  constructor(
    private readonly transactions: Transactions,
    private readonly retentionMs: number,
  ) {}

  /** @param range buckets of one length, one after the other, up to now; what is no longer in the log is empty */
  read(projectId: string | null, range: Bucket[]): Promise<OverviewFigures> {
    const begin = beginOfLog(this.retentionMs) / 1_000;
    const buckets = range.filter(({ at }) => at >= begin);
    return this.transactions.run(async (tx) => {
      // One snapshot: what is counted between two statements would be missed, or counted twice.
      await tx.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${ALONG_INDEXES}`);
      const [counted] = await tx.query<{ first: string; next: string; now: Date }>(
        'SELECT first_id AS first, next_id AS next, statement_timestamp() AS now FROM attempts_counted',
      );
      const from = buckets[0]!.at * 1_000;
      const row = await this.readFrom(tx, projectId, buckets, counted!.next);
      return {
        to: row.liveCount === MOST_LIVE ? new Date(row.liveTo!) : counted!.now,
        completeFrom: timeOfId(counted!.first) > from ? new Date(timeOfId(counted!.first)) : null,
        series: row.series,
        byEvent: row.byEvent,
        worstEndpoints: row.worstEndpoints,
        ...(await readWaiting(tx, projectId)),
      };
    });
  }

  private async readFrom(tx: Tx, projectId: string | null, buckets: Bucket[], next: string): Promise<Row> {
    const [first, last] = [buckets[0]!, buckets.at(-1)!];
    const covering = coveringBuckets(first, last.at + last.span - 1);
    const from = lowestId(first.at * 1_000 - SLACK_MS);
    const times = (of: Bucket[]): Date[] => of.map(({ at }) => new Date(at * 1_000));
    const [row] = await tx.query<Row>(projectId ? FIGURES_OF_PROJECT : FIGURES_OF_HOUSE, [
      projectId ?? HOUSE,
      first.span,
      times(buckets),
      covering.map(({ span }) => span),
      times(covering),
      next > from ? next : from,
      new Date(first.at * 1_000),
      new Date((last.at + last.span) * 1_000),
    ]);
    return row!;
  }
}
