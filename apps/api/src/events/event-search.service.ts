import { Injectable } from '@nestjs/common';
import type { ManagingCaller } from '#auth';
import { matchingEventTypes } from '#domain';
import {
  DeliveriesRepository,
  HouseEventsRepository,
  LookupsRepository,
  type CappedCount,
  type DeliverySummary,
  type EventFilter,
  type FeedEvent,
} from '#persistence';
import { CursorCodec } from '#platform';
import { timeOf } from '../http/fields.js';
import { NO_PAGE, readPage, readWalk, type Page, type PageQuery } from '../http/paging.js';
import { bothOf, NamedThings } from '../search/named-things.service.js';
import type { CountEventsQuery, SearchEventsQuery } from './dto/event-search.request.js';
import { EventsService } from './events.service.js';

/** Events as operators look through them. */
@Injectable()
export class EventSearch {
  constructor(
    private readonly events: HouseEventsRepository,
    private readonly feed: EventsService,
    private readonly deliveries: DeliveriesRepository,
    private readonly named: NamedThings,
    private readonly lookups: LookupsRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** What happened, newest first. @throws GatehouseError `invalid_cursor` */
  list({ reach }: ManagingCaller, query: SearchEventsQuery): Promise<Page<FeedEvent>> {
    const { limit: _, cursor: __, ...asked } = query;
    const list = ['house-events', reach, Object.entries(asked).sort()];
    return readWalk(this.cursors, list, query, async (before, limit) => {
      const filter = await this.filterOf(query);
      return filter ? this.events.page(reach, filter, before, limit) : NO_PAGE;
    });
  }

  async count({ reach }: ManagingCaller, query: CountEventsQuery): Promise<CappedCount> {
    const filter = await this.filterOf(query);
    return filter ? this.events.count(reach, filter) : { count: 0, isMore: false };
  }

  /** An event's deliveries, newest first. @throws GatehouseError `not_found`, `invalid_cursor` */
  async deliveriesOf(caller: ManagingCaller, id: string, query: PageQuery): Promise<Page<DeliverySummary>> {
    const event = await this.feed.get(caller, id);
    return readPage(this.cursors, ['event-deliveries', caller.reach, event.id], query, (before, limit) =>
      this.deliveries.ofEvent(caller.reach, event.id, before, limit),
    );
  }

  /** @returns null when nothing can match */
  private async filterOf(query: CountEventsQuery): Promise<EventFilter | null> {
    const meant = await this.named.meantBy(query);
    if (!meant || meant.endpointIds || meant.endpointUrl) return null;
    const ofDelivery = meant.deliveryId ? await this.lookups.eventOf(meant.deliveryId) : null;
    const event = bothOf(meant.eventId, ofDelivery);
    if (!event || (meant.deliveryId && !ofDelivery)) return null;
    return {
      projectId: query.project_id ?? null,
      types: query.types ? matchingEventTypes(query.types.split(',')) : null,
      createdAfter: timeOf(query.created_after),
      createdBefore: timeOf(query.created_before),
      eventId: event.id,
      customerIds: meant.customerIds ?? null,
    };
  }
}
