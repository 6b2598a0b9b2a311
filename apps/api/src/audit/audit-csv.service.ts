import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { streamPages } from '../http/exports/stream-pages.js';
import { auditCsvPages } from './audit-csv-pages.js';
import { AuditSearchService } from './audit-search.service.js';
import type { CountAuditLogQuery } from './dto/audit-log.request.js';

/** Maximum number of entries per file. Spreadsheet programs can open a file of this size. */
const MAX_ENTRIES = 100_000;

/** Exports the audit log as CSV. */
@Injectable()
export class AuditCsvService {
  constructor(
    private readonly search: AuditSearchService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Streams the entries that match the query, newest first, at most 100,000. Each page is a separate
   * statement, so no database connection is held while the client is not reading.
   */
  async stream(caller: ManagementCaller, query: CountAuditLogQuery, response: ServerResponse): Promise<void> {
    const pages = auditCsvPages(
      (before, limit) => this.search.page(caller, query, before, limit),
      MAX_ENTRIES,
    );
    await streamPages(pages, response, this.logger, { export: 'audit-log.csv' });
  }
}
