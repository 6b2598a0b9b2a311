import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import { GatehouseError, insufficientScope, type Scope } from '@gatehouse/domain';
import {
  ApiKeysRepository,
  CustomersBulkRepository,
  ProjectsRepository,
  Transactions,
  type CustomerWithPasswordHash,
} from '@gatehouse/persistence';
import { LOGGER, PasswordHasher, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { CustomerResponse } from '../customers/dto/customer.response.js';
import { streamPages } from '../http/stream-pages.js';

const PAGE_SIZE = 200;

/** Exports all customers of a project, one JSON object per line. */
@Injectable()
export class ProjectExportService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersBulkRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts an export. The project may be archived.
   * @param withHashes true to add a `passwordHash` to each line, in a form that imports accept
   * @returns the lines, one page at a time. The first page has already been read
   * @throws GatehouseError `not_found`, `insufficient_scope`
   */
  async open(
    caller: SecretKeyCaller,
    projectId: string,
    withHashes: boolean,
  ): Promise<AsyncGenerator<string>> {
    if (withHashes && !caller.scopes.includes('customer:export_hashes')) {
      throw insufficientScope(requiredScopes);
    }
    const { organizationId } = await this.projects.get(caller.reach, projectId);
    const first = await this.customers.listPage(projectId, null, PAGE_SIZE);
    const action = { action: 'project.exported', organizationId, projectId, targetId: projectId } as const;
    await this.transactions.run((tx) =>
      this.audit.record(tx, { ...action, details: { hashes: withHashes } }),
    );
    return this.pages(caller, projectId, first, (customer) => this.toLine(customer, withHashes));
  }

  /** Sends the pages of an export as the response. */
  send(projectId: string, pages: AsyncGenerator<string>, response: ServerResponse): Promise<void> {
    return streamPages(pages, response, this.logger, { projectId });
  }

  /**
   * Reads each page with its own statement, so that an export holds no transaction, and no connection while
   * the client does not read.
   */
  private async *pages(
    caller: SecretKeyCaller,
    projectId: string,
    first: CustomerWithPasswordHash[],
    formatLine: (customer: CustomerWithPasswordHash) => string,
  ): AsyncGenerator<string> {
    let page = first;
    while (page.length > 0) {
      yield page.map(formatLine).join('');
      if (page.length < PAGE_SIZE) return;
      // A revoked key must stop working immediately (contract, section 3).
      if (!(await this.apiKeys.isActive(caller.keyId))) throw new GatehouseError('invalid_api_key');
      page = await this.customers.listPage(projectId, page.at(-1)!.id, PAGE_SIZE);
    }
  }

  private toLine({ passwordHash, ...customer }: CustomerWithPasswordHash, withHashes: boolean): string {
    const hash = withHashes && { passwordHash: passwordHash && this.hasher.exportHash(passwordHash) };
    return `${JSON.stringify({ ...CustomerResponse.from(customer), ...hash })}\n`;
  }
}

const requiredScopes: Scope[] = ['project:read', 'customer:read', 'customer:export_hashes'];
