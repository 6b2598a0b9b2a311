import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { matchingEventTypes, notFound, parsePathId, uuidToBytes, formatUuid } from '@gatehouse/domain';
import { EventFeedRepository, type FeedEvent, type FeedPosition } from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { DEFAULT_LIMIT } from '../http/lists/paging.js';
import { parseTime } from '../http/input/time-field.js';
import type { FeedStart, ListEventsQuery } from './dto/event.request.js';

/** Length of a position inside a cursor, in bytes: epoch, transaction, event id. */
const POSITION_LENGTH = 2 + 8 + 16;

export interface EventPage {
  events: FeedEvent[];
  /** Never null, because the feed has no end. */
  nextCursor: string;
  hasMore: boolean;
}

/** Reads the event feed. */
@Injectable()
export class EventsService {
  constructor(
    private readonly feed: EventFeedRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns events in commit order, oldest first: no event is ever added before an issued cursor (contract,
   * section 4).
   * @throws GatehouseError `invalid_cursor`
   */
  async list({ accessScope }: ManagementCaller, query: ListEventsQuery): Promise<EventPage> {
    const filter = {
      projectId: query.project_id ?? null,
      types: query.types ? matchingEventTypes(query.types.split(',')) : null,
      createdAfter: parseTime(query.created_after),
    };
    const list = ['events', accessScope, filter];
    const position =
      query.cursor === undefined
        ? await this.startPosition(query.start, filter.createdAfter)
        : await this.feed.resolvePosition(
            decode(this.cursors.decodeBytes(list, query.cursor, POSITION_LENGTH)),
          );
    const { events, nextPosition, hasMore } = await this.feed.readPage(
      accessScope,
      filter,
      position,
      query.limit ?? DEFAULT_LIMIT,
    );
    return { events, nextCursor: this.cursors.encodeBytes(list, encode(nextPosition)), hasMore };
  }

  private startPosition(start: FeedStart | undefined, createdAfter: Date | null): Promise<FeedPosition> {
    return start === 'latest' ? this.feed.endPosition() : this.feed.startPosition(createdAfter);
  }

  /** @throws GatehouseError `not_found` */
  async get({ accessScope }: ManagementCaller, id: string): Promise<FeedEvent> {
    const event = await this.feed.find(accessScope, parsePathId('event', id));
    if (!event) throw notFound();
    return event;
  }
}

function encode({ epoch, xact, id }: FeedPosition): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeUInt16BE(epoch);
  bytes.writeBigUInt64BE(xact, 2);
  return Buffer.concat([bytes, uuidToBytes(id)]);
}

const decode = (bytes: Buffer): FeedPosition => ({
  epoch: bytes.readUInt16BE(),
  xact: bytes.readBigUInt64BE(2),
  id: formatUuid(bytes.subarray(10)),
});
