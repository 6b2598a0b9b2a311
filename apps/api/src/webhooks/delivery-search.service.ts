import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { parsePublicId } from '@gatehouse/domain';
import {
  AttemptsRepository,
  DeadLettersRepository,
  DeliverySearchRepository,
  type AttemptFilter,
  type AttemptRecord,
  type CappedCount,
  type DeadLetterRecord,
  type DeliveryFilter,
  type ListedDelivery,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { EMPTY_PAGE, readPositionedPage, readScannedPage, type Page } from '../http/lists/paging.js';
import { intersectIds, SearchTermsService, type SearchConditions } from '../search/search-terms.service.js';
import { attemptFilter, deliveryFilter, deliveryListFilter, narrowFilter } from './delivery-filter.js';
import type {
  CountAttemptsQuery,
  CountDeadLettersQuery,
  CountDeliveriesQuery,
  SearchAttemptsQuery,
  SearchDeadLettersQuery,
  SearchDeliveriesQuery,
} from './dto/delivery-search.request.js';

const EMPTY_COUNT: CappedCount = { count: 0, isMore: false };

/** Searches deliveries, the attempt log and dead letters for operators. */
@Injectable()
export class DeliverySearchService {
  constructor(
    private readonly deliveries: DeliverySearchRepository,
    private readonly attempts: AttemptsRepository,
    private readonly deadLetters: DeadLettersRepository,
    private readonly searchTerms: SearchTermsService,
    private readonly cursors: CursorCodec,
  ) {}

  /** Returns deliveries in the requested order. @throws GatehouseError `invalid_cursor` */
  listDeliveries(
    { accessScope }: ManagementCaller,
    query: SearchDeliveriesQuery,
  ): Promise<Page<ListedDelivery>> {
    const list = ['delivery-list', accessScope, filtersOf(query)];
    return readPositionedPage(this.cursors, list, query, async (after, limit) => {
      const filter = narrowFilter(
        deliveryListFilter(query),
        await this.searchTerms.conditionsOf(query, accessScope),
      );
      if (!filter) return EMPTY_PAGE;
      return this.deliveries.listPage(accessScope, filter, {
        sort: query.sort ?? '-created_at',
        after,
        limit,
      });
    });
  }

  async countDeliveries(
    { accessScope }: ManagementCaller,
    query: CountDeliveriesQuery,
  ): Promise<CappedCount> {
    const filter = narrowFilter(
      deliveryListFilter(query),
      await this.searchTerms.conditionsOf(query, accessScope),
    );
    return filter ? this.deliveries.count(accessScope, filter, query.sort ?? '-created_at') : EMPTY_COUNT;
  }

  /** Returns finished attempts, newest first. @throws GatehouseError `invalid_cursor` */
  listAttempts({ accessScope }: ManagementCaller, query: SearchAttemptsQuery): Promise<Page<AttemptRecord>> {
    const list = ['deliveries', accessScope, filtersOf(query)];
    return readScannedPage(this.cursors, list, query, async (before, limit) => {
      const filter = narrowAttemptFilter(query, await this.searchTerms.conditionsOf(query, accessScope));
      return filter ? this.attempts.listPage(accessScope, filter, before, limit) : EMPTY_PAGE;
    });
  }

  async countAttempts({ accessScope }: ManagementCaller, query: CountAttemptsQuery): Promise<CappedCount> {
    const filter = narrowAttemptFilter(query, await this.searchTerms.conditionsOf(query, accessScope));
    return filter ? this.attempts.count(accessScope, filter) : EMPTY_COUNT;
  }

  /** Returns dead letters, newest first. @throws GatehouseError `invalid_cursor` */
  listDeadLetters(
    { accessScope }: ManagementCaller,
    query: SearchDeadLettersQuery,
  ): Promise<Page<DeadLetterRecord>> {
    const list = ['dead-letters', accessScope, filtersOf(query)];
    return readScannedPage(this.cursors, list, query, async (before, limit) => {
      const filter = narrowDeadLetterFilter(query, await this.searchTerms.conditionsOf(query, accessScope));
      return filter ? this.deadLetters.listPage(accessScope, filter, before, limit) : EMPTY_PAGE;
    });
  }

  async countDeadLetters(
    { accessScope }: ManagementCaller,
    query: CountDeadLettersQuery,
  ): Promise<CappedCount> {
    const filter = narrowDeadLetterFilter(query, await this.searchTerms.conditionsOf(query, accessScope));
    return filter ? this.deadLetters.count(accessScope, filter) : EMPTY_COUNT;
  }
}

/**
 * Returns a query's filters exactly as requested. They identify the list that a cursor belongs to, because the
 * conditions that the search terms resolve to can change between two pages.
 */
const filtersOf = ({
  limit: _,
  cursor: __,
  ...filters
}: SearchAttemptsQuery | SearchDeliveriesQuery | SearchDeadLettersQuery) =>
  Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));

/** Returns the filter of a query together with its search conditions, or null if nothing can match. */
function narrowAttemptFilter(
  query: CountAttemptsQuery,
  conditions: SearchConditions | null,
): AttemptFilter | null {
  const filter = attemptFilter(query);
  const delivery = intersectIds(filter.deliveryId, conditions?.deliveryId);
  const event = intersectIds(filter.eventId, conditions?.eventId);
  if (!conditions || !delivery || !event) return null;
  const { attempt = null, error = null, batch_id: batch } = query;
  const batchId = batch ? parsePublicId('redelivery', batch) : null;
  return { ...filter, ...conditions, attempt, error, batchId, deliveryId: delivery.id, eventId: event.id };
}

/** Returns the filter of a query together with its search conditions, or null if nothing can match. */
const narrowDeadLetterFilter = (
  query: CountDeadLettersQuery,
  conditions: SearchConditions | null,
): DeliveryFilter | null =>
  narrowFilter({ ...deliveryFilter(query), resolution: query.resolution ?? 'waiting' }, conditions);
