import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { notFound } from '@gatehouse/domain';
import {
  AuditSearchRepository,
  type AuditEntry,
  type CappedCount,
  type ScannedPage,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { readScannedPage, type Page } from '../http/lists/paging.js';
import { ActorNamesService, findActorName } from './actor-names.service.js';
import { auditFilter } from './audit-log.service.js';
import type { AuditLogQuery, CountAuditLogQuery } from './dto/audit-log.request.js';

/**
 * An entry with the current names of the actor and the target. A name is an operator's or customer's email address, or
 * any other object's name. Null if the object has been deleted or has no name.
 */
export type NamedAuditEntry = AuditEntry & { actorName: string | null; targetName: string | null };

/** Searches the audit log for operators. */
@Injectable()
export class AuditSearchService {
  constructor(
    private readonly log: AuditSearchRepository,
    private readonly actors: ActorNamesService,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns a page of the entries within the caller's access scope, newest first.
   * @throws GatehouseError `invalid_cursor`
   */
  list(caller: ManagementCaller, query: AuditLogQuery): Promise<Page<NamedAuditEntry>> {
    const list = ['audit-search', caller.accessScope, auditFilter(query)];
    return readScannedPage(this.cursors, list, query, (before, limit) =>
      this.page(caller, query, before, limit),
    );
  }

  /** Returns up to `limit` entries. @param before the previous page's last id */
  async page(
    { accessScope }: ManagementCaller,
    query: CountAuditLogQuery,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<NamedAuditEntry>> {
    const { items, next } = await this.log.listPage(accessScope, auditFilter(query), before, limit);
    return { items: await this.addNames(items), next };
  }

  /** @throws GatehouseError `not_found` */
  async get({ accessScope }: ManagementCaller, id: string): Promise<NamedAuditEntry> {
    const entry = await this.log.find(accessScope, id);
    if (!entry) throw notFound();
    const [named] = await this.addNames([entry]);
    return named!;
  }

  count({ accessScope }: ManagementCaller, query: CountAuditLogQuery): Promise<CappedCount> {
    return this.log.count(accessScope, auditFilter(query));
  }

  private async addNames(entries: AuditEntry[]): Promise<NamedAuditEntry[]> {
    const [actors, targets] = await Promise.all([
      this.actors.resolve(entries.map(actorKey)),
      this.actors.resolveTargets(entries),
    ]);
    return entries.map((entry) => ({
      ...entry,
      actorName: findActorName(actors, actorKey(entry)),
      targetName: targets.get(entry.id) ?? null,
    }));
  }
}

const actorKey = ({ actorType, actorId }: AuditEntry): string | null => actorId && `${actorType}:${actorId}`;
