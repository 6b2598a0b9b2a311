import { Injectable } from '@nestjs/common';
import type { ManagingCaller } from '@gatehouse/auth';
import { parsePublicId } from '@gatehouse/domain';
import {
  AttemptsRepository,
  DeadLettersRepository,
  type AttemptFilter,
  type AttemptRecord,
  type CappedCount,
  type DeadLetterRecord,
  type DeliveryFilter,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { NO_PAGE, readWalk, type Page } from '../http/paging.js';
import { bothOf, SearchTermsService, type SearchConditions } from '../search/search-terms.service.js';
import { attemptFilter, deliveryFilter, narrowedTo } from './delivery-filter.js';
import type {
  CountDeadLettersQuery,
  CountDeliveriesQuery,
  SearchDeadLettersQuery,
  SearchDeliveriesQuery,
} from './dto/delivery-search.request.js';

const NONE: CappedCount = { count: 0, isMore: false };

/** The log of attempts and the dead letters as operators look through them. */
@Injectable()
export class DeliverySearchService {
  constructor(
    private readonly attempts: AttemptsRepository,
    private readonly deadLetters: DeadLettersRepository,
    private readonly searchTerms: SearchTermsService,
    private readonly cursors: CursorCodec,
  ) {}

  /** Closed attempts, newest first. @throws GatehouseError `invalid_cursor` */
  listAttempts({ reach }: ManagingCaller, query: SearchDeliveriesQuery): Promise<Page<AttemptRecord>> {
    const list = ['deliveries', reach, asked(query)];
    return readWalk(this.cursors, list, query, async (before, limit) => {
      const filter = narrowedAttempts(query, await this.searchTerms.conditionsOf(query));
      return filter ? this.attempts.page(reach, filter, before, limit) : NO_PAGE;
    });
  }

  async countAttempts({ reach }: ManagingCaller, query: CountDeliveriesQuery): Promise<CappedCount> {
    const filter = narrowedAttempts(query, await this.searchTerms.conditionsOf(query));
    return filter ? this.attempts.count(reach, filter) : NONE;
  }

  /** Dead letters, newest first. @throws GatehouseError `invalid_cursor` */
  listDeadLetters({ reach }: ManagingCaller, query: SearchDeadLettersQuery): Promise<Page<DeadLetterRecord>> {
    const list = ['dead-letters', reach, asked(query)];
    return readWalk(this.cursors, list, query, async (before, limit) => {
      const filter = narrowedDeadLetters(query, await this.searchTerms.conditionsOf(query));
      return filter ? this.deadLetters.page(reach, filter, before, limit) : NO_PAGE;
    });
  }

  async countDeadLetters({ reach }: ManagingCaller, query: CountDeadLettersQuery): Promise<CappedCount> {
    const filter = narrowedDeadLetters(query, await this.searchTerms.conditionsOf(query));
    return filter ? this.deadLetters.count(reach, filter) : NONE;
  }
}

/** What makes a list this list: every filter as it was asked for, for what it means can change between two pages. */
const asked = ({ limit: _, cursor: __, ...filters }: SearchDeliveriesQuery | SearchDeadLettersQuery) =>
  Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));

/** @returns null when nothing can match */
function narrowedAttempts(
  query: CountDeliveriesQuery,
  conditions: SearchConditions | null,
): AttemptFilter | null {
  const filter = attemptFilter(query);
  const delivery = bothOf(filter.deliveryId, conditions?.deliveryId);
  const event = bothOf(filter.eventId, conditions?.eventId);
  if (!conditions || !delivery || !event) return null;
  const { attempt = null, error = null, batch_id: batch } = query;
  const batchId = batch ? parsePublicId('redelivery', batch) : null;
  return { ...filter, ...conditions, attempt, error, batchId, deliveryId: delivery.id, eventId: event.id };
}

/** @returns null when nothing can match */
const narrowedDeadLetters = (
  query: CountDeadLettersQuery,
  conditions: SearchConditions | null,
): DeliveryFilter | null =>
  narrowedTo({ ...deliveryFilter(query), resolution: query.resolution ?? 'waiting' }, conditions);
