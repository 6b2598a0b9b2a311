import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  actionKind,
  deviceName,
  eventKind,
  timelineKinds,
  type MailReason,
  type MailState,
  type TimelineKind,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  CustomerTimelineRepository,
  parseIdTime,
  type TimelineDelivery,
  type TimelineRow,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { ActorNamesService, findActorName, type ActorNameMap } from '../audit/actor-names.service.js';
import { readScannedPage, type Page } from '../http/lists/paging.js';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import { publicMailStates } from '../mail/dto/mail-log.response.js';
import type { CustomerTimelineQuery } from './dto/customer-timeline.request.js';

/** An event or change that concerns a customer. */
export interface TimelineEntry {
  id: string;
  source: TimelineRow['source'];
  kind: TimelineKind;
  type: string;
  createdAt: Date;
  actor: { type: string; id: string | null; name: string | null } | null;
  device: string | null;
  ip: string | null;
  details: Record<string, unknown>;
  mail: { state: MailState; reason: MailReason | null; response: string | null } | null;
  deliveries: TimelineDelivery[];
}

/** Lists events and changes that concern a customer, for operators. */
@Injectable()
export class CustomerTimelineService {
  constructor(
    private readonly timeline: CustomerTimelineRepository,
    private readonly customers: CustomersRepository,
    private readonly actors: ActorNamesService,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns a page of entries, newest first.
   * @throws GatehouseError `not_found`, `invalid_cursor`
   */
  async list(
    { accessScope }: ManagementCaller,
    customerId: string,
    query: CustomerTimelineQuery,
  ): Promise<Page<TimelineEntry>> {
    await this.customers.get(accessScope, customerId);
    const filter = {
      customerId,
      kinds: query.kinds ? (query.kinds.split(',') as TimelineKind[]) : timelineKinds,
      createdAfter: parseTime(query.createdAfter),
      createdBefore: parseUpperBound(query.createdBefore),
    };
    const page = await readScannedPage(
      this.cursors,
      ['customer-timeline', accessScope, filter],
      query,
      (before, limit) => this.timeline.listPage(filter, before, limit),
    );
    const eventIds = page.items.filter(({ source }) => source === 'event').map(({ id }) => id);
    const [deliveries, names] = await Promise.all([
      this.timeline.listDeliveries(accessScope, eventIds),
      this.actors.resolve(page.items.map(actorKey)),
    ]);
    const items = page.items.map((row) => ({
      ...toEntry(row, names),
      deliveries: deliveries.filter(({ eventId }) => eventId === row.id),
    }));
    return { ...page, items };
  }
}

const actorKey = ({ actorType, actorId }: TimelineRow): string | null =>
  actorType && actorId && `${actorType}:${actorId}`;

function toEntry(row: TimelineRow, names: ActorNameMap): Omit<TimelineEntry, 'deliveries'> {
  const { id, source, type, actorType, actorId, mailState, mailReason, mailResponse } = row;
  const entry = { id, source, type, kind: kindOf(row), createdAt: new Date(parseIdTime(id)) };
  const name = findActorName(names, actorKey(row));
  const { device, ip, details } = row.body === null ? describeAuditEntry(row) : describeEvent(row.body);
  return {
    ...entry,
    actor: actorType && { type: actorType, id: actorId, name },
    device,
    ip,
    details,
    mail: mailState && { state: publicMailStates[mailState], reason: mailReason, response: mailResponse },
  };
}

function kindOf({ source, type, isChange }: TimelineRow): TimelineKind {
  if (source === 'event') return (isChange ? eventKind(type) : null) ?? 'webhook';
  if (source === 'mail') return 'mail';
  return source === 'audit_entry' ? actionKind(type) : 'account';
}

type Description = Pick<TimelineEntry, 'device' | 'ip' | 'details'>;

const describeAuditEntry = ({ userAgent, ip, details }: TimelineRow): Description => ({
  device: deviceName(userAgent),
  ip,
  details: details ?? {},
});

/**
 * Describes an event from its body. The device and the IP address come from the session or the failed sign-in.
 */
function describeEvent(body: string): Description {
  const { data } = JSON.parse(body) as { data: Record<string, unknown> };
  const { customer: _, previous, ...details } = data;
  const client = (details['session'] ?? details) as { device?: string | null; ip?: string | null };
  return {
    device: client.device ?? null,
    ip: client.ip ?? null,
    details: previous ? { ...details, changed: Object.keys(previous) } : details,
  };
}
