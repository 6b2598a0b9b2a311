import { Injectable } from '@nestjs/common';
import type { AccessScope } from '@gatehouse/domain';
import {
  MailLogRepository,
  type CappedCount,
  type MailLogEntry,
  type MailLogFilter,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { readScannedPage, type Page } from '../http/lists/paging.js';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import type { CountMailsQuery, ListMailsQuery } from './dto/mail-log.request.js';

/** Reads the email log. */
@Injectable()
export class MailLogService {
  constructor(
    private readonly log: MailLogRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** Returns a page of emails within the access scope, newest first. @throws GatehouseError `invalid_cursor` */
  list(accessScope: AccessScope, query: ListMailsQuery): Promise<Page<MailLogEntry>> {
    const filter = mailLogFilter(query);
    return readScannedPage(this.cursors, ['mails', accessScope, filter], query, (before, limit) =>
      this.log.listPage(accessScope, filter, before, limit),
    );
  }

  count(accessScope: AccessScope, query: CountMailsQuery): Promise<CappedCount> {
    return this.log.count(accessScope, mailLogFilter(query));
  }

  /** @throws GatehouseError `not_found` */
  get(accessScope: AccessScope, id: string): Promise<MailLogEntry> {
    return this.log.get(accessScope, id);
  }
}

const mailLogFilter = (query: CountMailsQuery): MailLogFilter => ({
  projectId: query.projectId ?? null,
  customerId: query.customerId ?? null,
  email: query.email ?? null,
  kind: query.kind ?? null,
  state: query.state ?? null,
  createdAfter: parseTime(query.createdAfter),
  createdBefore: parseUpperBound(query.createdBefore),
});
