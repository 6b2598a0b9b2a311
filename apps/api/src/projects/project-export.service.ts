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
import { streamPages } from '../http/send-pages.js';

const PAGE_SIZE = 200;

/** All customers of a project, one JSON object a line. */
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
   * Begins an export, of an archived project as well.
   * @param withHashes whether each line has a `passwordHash` as imports take it
   * @returns the lines, a page at a time; the first has been read
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

  /** Sends an export. */
  send(projectId: string, pages: AsyncGenerator<string>, response: ServerResponse): Promise<void> {
    return streamPages(pages, response, this.logger, { projectId });
  }

  /** Each page is a statement of its own: an export holds no transaction, and no connection while nobody reads. */
  private async *pages(
    caller: SecretKeyCaller,
    projectId: string,
    first: CustomerWithPasswordHash[],
    line: (customer: CustomerWithPasswordHash) => string,
  ): AsyncGenerator<string> {
    let page = first;
    while (page.length > 0) {
      yield page.map(line).join('');
      if (page.length < PAGE_SIZE) return;
      // A key that has been revoked opens nothing any more (contract, section 3).
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
