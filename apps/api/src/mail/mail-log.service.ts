import { Injectable } from '@nestjs/common';
import type { Reach } from '@gatehouse/domain';
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
  list(reach: Reach, query: ListMailsQuery): Promise<Page<MailLogEntry>> {
    const filter = mailLogFilter(query);
    return readScannedPage(this.cursors, ['mails', reach, filter], query, (before, limit) =>
      this.log.listPage(reach, filter, before, limit),
    );
  }

  count(reach: Reach, query: CountMailsQuery): Promise<CappedCount> {
    return this.log.count(reach, mailLogFilter(query));
  }

  /** @throws GatehouseError `not_found` */
  get(reach: Reach, id: string): Promise<MailLogEntry> {
    return this.log.get(reach, id);
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
