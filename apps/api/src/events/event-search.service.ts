import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { matchingEventTypes, type AccessScope } from '@gatehouse/domain';
import {
  DeliveriesRepository,
  EventSearchRepository,
  LookupsRepository,
  type CappedCount,
  type DeliverySummary,
  type EventFilter,
  type FeedEvent,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { EMPTY_PAGE, readPage, readScannedPage, type Page, type PageQuery } from '../http/lists/paging.js';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import { intersectIds, SearchTermsService } from '../search/search-terms.service.js';
import type { CountEventsQuery, SearchEventsQuery } from './dto/event-search.request.js';
import { EventsService } from './events.service.js';

/** Searches events for operators. */
@Injectable()
export class EventSearchService {
  constructor(
    private readonly events: EventSearchRepository,
    private readonly feed: EventsService,
    private readonly deliveries: DeliveriesRepository,
    private readonly searchTerms: SearchTermsService,
    private readonly lookups: LookupsRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** Returns a page of events, newest first. @throws GatehouseError `invalid_cursor` */
  list({ accessScope }: ManagementCaller, query: SearchEventsQuery): Promise<Page<FeedEvent>> {
    const { limit: _, cursor: __, ...filters } = query;
    const list = ['operator-events', accessScope, Object.entries(filters).sort()];
    return readScannedPage(this.cursors, list, query, async (before, limit) => {
      const filter = await this.toFilter(query, accessScope);
      return filter ? this.events.listPage(accessScope, filter, before, limit) : EMPTY_PAGE;
    });
  }

  async count({ accessScope }: ManagementCaller, query: CountEventsQuery): Promise<CappedCount> {
    const filter = await this.toFilter(query, accessScope);
    return filter ? this.events.count(accessScope, filter) : { count: 0, isMore: false };
  }

  /**
   * Returns a page of an event's deliveries, newest first.
   * @throws GatehouseError `not_found`, `invalid_cursor`
   */
  async listDeliveries(
    caller: ManagementCaller,
    id: string,
    query: PageQuery,
  ): Promise<Page<DeliverySummary>> {
    const event = await this.feed.get(caller, id);
    return readPage(
      this.cursors,
      ['event-deliveries', caller.accessScope, event.id],
      query,
      (before, limit) => this.deliveries.listForEvent(caller.accessScope, event.id, before, limit),
    );
  }

  /** Returns a query's filter, or null if nothing can match. */
  private async toFilter(query: CountEventsQuery, accessScope: AccessScope): Promise<EventFilter | null> {
    const conditions = await this.searchTerms.conditionsOf(query, accessScope);
    const { endpointIds, endpointUrl, endpointName } = conditions ?? {};
    if (!conditions || endpointIds || endpointUrl || endpointName) return null;
    const deliveryEventId = conditions.deliveryId
      ? await this.lookups.findEventIdByDelivery(conditions.deliveryId)
      : null;
    const event = intersectIds(conditions.eventId, deliveryEventId);
    if (!event || (conditions.deliveryId && !deliveryEventId)) return null;
    return {
      projectId: query.project_id ?? null,
      types: query.types ? matchingEventTypes(query.types.split(',')) : null,
      createdAfter: parseTime(query.created_after),
      createdBefore: parseUpperBound(query.created_before),
      eventId: event.id,
      customerIds: conditions.customerIds ?? null,
    };
  }
}
