import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import { GatehouseError, insufficientScope, type Scope } from '@gatehouse/domain';
import {
  ApiKeysRepository,
  CustomersBulkRepository,
  FactorsRepository,
  ProjectsRepository,
  Transactions,
  type CustomerWithPasswordHash,
} from '@gatehouse/persistence';
import { Keyring, LOGGER, PasswordHasher, type Logger } from '@gatehouse/platform';
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
    private readonly factors: FactorsRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly hasher: PasswordHasher,
    private readonly keyring: Keyring,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts an export. The project may be archived.
   * @param withHashes true to add a `passwordHash` and a `totpSecret` to each line, in a form that imports
   *   accept
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
    return this.pages(caller, projectId, first, withHashes);
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
    withHashes: boolean,
  ): AsyncGenerator<string> {
    let page = first;
    while (page.length > 0) {
      yield await this.formatPage(page, withHashes);
      if (page.length < PAGE_SIZE) return;
      // A revoked key must stop working immediately (contract, section 3).
      if (!(await this.apiKeys.isActive(caller.keyId))) throw new GatehouseError('invalid_api_key');
      page = await this.customers.listPage(projectId, page.at(-1)!.id, PAGE_SIZE);
    }
  }

  private async formatPage(page: CustomerWithPasswordHash[], withHashes: boolean): Promise<string> {
    const ids = page.map(({ id }) => id);
    const secrets = withHashes ? await this.factors.listNewestSecrets(ids) : null;
    return page.map((customer) => this.formatLine(customer, secrets)).join('');
  }

  /** @param totpSecrets encrypted secrets by the id of the customer; null for a line without hashes and secrets */
  private formatLine(
    { passwordHash, ...customer }: CustomerWithPasswordHash,
    totpSecrets: Map<string, Buffer> | null,
  ): string {
    const sealed = totpSecrets?.get(customer.id);
    const secrets = totpSecrets && {
      passwordHash: passwordHash && this.hasher.exportHash(passwordHash),
      totpSecret: sealed ? this.keyring.decrypt('totp-secret', customer.id, sealed) : null,
    };
    return `${JSON.stringify({ ...CustomerResponse.from(customer), ...secrets })}\n`;
  }
}

const requiredScopes: Scope[] = ['project:read', 'customer:read', 'customer:export_hashes'];
