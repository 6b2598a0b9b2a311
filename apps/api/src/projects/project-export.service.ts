import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '@gatehouse/auth';
import { effectiveRpId, GatehouseError, insufficientScope, type Scope } from '@gatehouse/domain';
import {
  ApiKeysRepository,
  CustomersBulkRepository,
  FactorsRepository,
  IdentitiesRepository,
  PasskeysRepository,
  ProjectsRepository,
  Transactions,
  type CustomerWithPasswordHash,
} from '@gatehouse/persistence';
import { Config, Keyring, LOGGER, PasswordHasher, UnreadableValues, type Logger } from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { CustomerResponse } from '../customers/dto/customer.response.js';
import { streamPages } from '../http/exports/stream-pages.js';
import { ExportedPasskey } from './dto/exported-passkey.js';

const PAGE_SIZE = 200;

interface ExportOptions {
  projectId: string;
  /** Domain that the project's passkeys are bound to. */
  rpId: string | null;
  withHashes: boolean;
}

/** Exports all customers of a project, one JSON object per line. */
@Injectable()
export class ProjectExportService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersBulkRepository,
    private readonly factors: FactorsRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly identities: IdentitiesRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly hasher: PasswordHasher,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts an export. The project may be archived.
   * @param withHashes true to add `passwordHash` and `totpSecret` to each line, in a form that imports accept; null for
   * values that cannot be decrypted
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
    const { organizationId, settings } = await this.projects.get(caller.accessScope, projectId);
    const first = await this.customers.listPage(projectId, null, PAGE_SIZE);
    const action = { action: 'project.exported', organizationId, projectId, targetId: projectId } as const;
    await this.transactions.join((tx) =>
      this.audit.record(tx, { ...action, details: { hashes: withHashes } }),
    );
    const rpId = effectiveRpId(settings.passkeys, this.config);
    return this.pages(caller, { projectId, rpId, withHashes }, first);
  }

  /** Sends an export's pages as the response. */
  send(projectId: string, pages: AsyncGenerator<string>, response: ServerResponse): Promise<void> {
    return streamPages(pages, response, this.logger, { projectId });
  }

  /**
   * Reads each page with a separate statement, so that an export holds no transaction, and holds no connection while
   * the client is not reading.
   */
  private async *pages(
    caller: SecretKeyCaller,
    options: ExportOptions,
    first: CustomerWithPasswordHash[],
  ): AsyncGenerator<string> {
    const { projectId } = options;
    let page = first;
    while (page.length > 0) {
      yield await this.formatPage(page, options);
      if (page.length < PAGE_SIZE) return;
      // A revoked key must stop working immediately (contract, section 3).
      if (!(await this.apiKeys.isActive(caller.keyId))) throw new GatehouseError('invalid_api_key');
      page = await this.customers.listPage(projectId, page.at(-1)!.id, PAGE_SIZE);
    }
  }

  private async formatPage(
    page: CustomerWithPasswordHash[],
    { rpId, withHashes }: ExportOptions,
  ): Promise<string> {
    const ids = page.map(({ id }) => id);
    const secrets = withHashes ? await this.factors.listNewestSecrets(ids) : null;
    const passkeys = await this.passkeys.listPortable(ids);
    const identities = await this.identities.listPortable(ids);
    const lines = page.map(({ passwordHash, ...customer }) => {
      const list = passkeys.get(customer.id)!.map((passkey) => ExportedPasskey.from(passkey, rpId));
      const linked = identities.get(customer.id)!;
      return {
        ...CustomerResponse.from(customer),
        // Most customers have neither.
        ...(list.length > 0 ? { passkeys: list } : {}),
        ...(linked.length > 0 ? { identities: linked } : {}),
        ...(secrets && this.formatSecrets(customer.id, passwordHash, secrets.get(customer.id))),
      };
    });
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  /** @param totpSecret encrypted */
  private formatSecrets(id: string, passwordHash: string | null, totpSecret: Buffer | undefined) {
    const readOrNull = (read: () => string) => this.unreadable.readOrNull({ customerId: id }, read);
    return {
      passwordHash: passwordHash && readOrNull(() => this.hasher.exportHash(passwordHash)),
      totpSecret: totpSecret ? readOrNull(() => this.keyring.decrypt('totp-secret', id, totpSecret)) : null,
    };
  }
}

const requiredScopes: Scope[] = ['project:read', 'customer:read', 'customer:export_hashes'];
