import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { OperatorCaller } from '@gatehouse/auth';
import type { Customer } from '@gatehouse/domain';
import {
  OperatorSessionsRepository,
  ProjectsRepository,
  Transactions,
  type CustomerPosition,
} from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { csvPages, type CsvFile } from '../http/exports/csv-pages.js';
import { streamPages } from '../http/exports/stream-pages.js';
import { CustomerDirectoryService } from './customer-directory.service.js';
import type { CountOperatorCustomersQuery } from './dto/list-customers.request.js';

/** Maximum number of customers per file. Spreadsheet programs can open a file of this size. */
const MAX_CUSTOMERS = 1_000_000;

/** Exports customer lists as CSV. */
@Injectable()
export class CustomerCsvService {
  constructor(
    private readonly directory: CustomerDirectoryService,
    private readonly projects: ProjectsRepository,
    private readonly sessions: OperatorSessionsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Streams the customers that match the query, in list order, without password hashes. The export is recorded
   * before it begins. Each page is a separate statement, so no database connection is held while the client is
   * not reading. The session's access scope is read again for each page: the export is aborted if the session
   * has ended or the operator's role has changed.
   * @throws GatehouseError `not_found` for a project outside the caller's access scope
   */
  async stream(
    caller: OperatorCaller,
    query: CountOperatorCustomersQuery,
    response: ServerResponse,
  ): Promise<void> {
    await this.recordExport(caller, query);
    response.writeHead(200, {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="customers.csv"',
    });
    const pages = csvPages(file, async (after: CustomerPosition | null, limit) => {
      const accessScope = await this.sessions.findAccessScope(caller.sessionId, caller.role);
      if (!accessScope) throw new Error('the session of the operator has ended');
      return this.directory.page({ ...caller, accessScope }, query, after, limit);
    });
    await streamPages(pages, response, this.logger, { export: 'customers.csv' });
  }

  /** Records only the names of the filters, because a search term is personal data. */
  private async recordExport(
    { operatorId, accessScope }: OperatorCaller,
    query: CountOperatorCustomersQuery,
  ): Promise<void> {
    const project = query.projectId ? await this.projects.get(accessScope, query.projectId) : null;
    await this.transactions.join((tx) =>
      this.audit.record(tx, {
        action: 'operator.customers_exported',
        organizationId: project?.organizationId ?? null,
        projectId: project?.id ?? null,
        targetId: operatorId,
        details: { filters: Object.keys(query) },
      }),
    );
  }
}

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** The columns have the same names as a customer's fields, so that an import accepts the file. */
const file: CsvFile<Customer> = {
  columns: {
    email: ({ email }) => email,
    firstName: ({ firstName }) => firstName,
    lastName: ({ lastName }) => lastName,
    emailVerified: ({ emailVerified }) => String(emailVerified),
    externalId: ({ externalId }) => externalId,
    locale: ({ locale }) => locale,
    mfa: ({ mfa }) => mfa,
    createdAt: ({ createdAt }) => toIso(createdAt),
    updatedAt: ({ updatedAt }) => toIso(updatedAt),
    lastLoginAt: ({ lastLoginAt }) => toIso(lastLoginAt),
    disabledAt: ({ disabledAt }) => toIso(disabledAt),
    metadata: ({ metadata }) => JSON.stringify(metadata),
    publicMetadata: ({ publicMetadata }) => JSON.stringify(publicMetadata),
    imageUrl: ({ imageUrl }) => imageUrl,
    projectId: ({ projectId }) => projectId,
    id: ({ id }) => id,
  },
  maxRows: MAX_CUSTOMERS,
  truncationText: `Only ${MAX_CUSTOMERS.toLocaleString('en')} customers are in this file. Narrow the filters to export the others.`,
};
