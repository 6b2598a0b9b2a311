import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { streamPages } from '../http/send-pages.js';
import { auditCsvPages } from './audit-csv-pages.js';
import { AuditSearchService } from './audit-search.service.js';
import type { CountAuditLogQuery } from './dto/audit-log.request.js';

/** Entries of a file, which a spreadsheet still opens. */
const MAX_ENTRIES = 100_000;

/** The audit log as a table. */
@Injectable()
export class AuditCsvService {
  constructor(
    private readonly search: AuditSearchService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Sends what the list shows, newest first, at most 100,000 entries. Each page is a statement of its own: no
   * connection is held while nobody reads.
   */
  async stream(caller: ManagementCaller, query: CountAuditLogQuery, response: ServerResponse): Promise<void> {
    const pages = auditCsvPages(
      (before, limit) => this.search.page(caller, query, before, limit),
      MAX_ENTRIES,
    );
    await streamPages(pages, response, this.logger, { export: 'audit-log.csv' });
  }
}
