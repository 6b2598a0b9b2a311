import { Injectable } from '@nestjs/common';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSettings, firstKeyScopes, type Access, type ApiKeyType } from '@gatehouse/domain';
import {
  ApiKeysRepository,
  OperatorsRepository,
  OrganizationsRepository,
  ProjectsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { Config, newId, generateApiKey, PasswordHasher, secureBytes } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';

/** The content of `DATA_DIR/credentials.json` (contract, section 6). */
interface Credentials {
  baseUrl: string;
  organizationId: string;
  projectId: string;
  secretKey: string;
  projectSecretKey: string;
  publishableKey: string;
  operator: { email: string; password: string };
}

/** Creates the first organization, project, keys and operator in an empty database. */
@Injectable()
export class FirstBoot {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly projects: ProjectsRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly operators: OperatorsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly policy: PasswordPolicyService,
    private readonly config: Config,
  ) {}

  /**
   * Seeds an empty database and writes `credentials.json`. Returns null if an organization already exists. If
   * several processes start at the same time, only one seeds.
   * @throws ConfigError for a weak OPERATOR_PASSWORD
   */
  async run(): Promise<Credentials | null> {
    if (await this.isSeeded()) return null;
    // Outside the transaction, so that no connection is held while the password is hashed.
    const operator = this.config.firstOperator ?? {
      email: 'operator@localhost',
      password: secureBytes(18).toString('base64url'),
    };
    this.policy.assertStrongSetting(operator);
    const passwordHash = await this.hasher.hash(operator.password);
    return this.transactions.run(async (tx) => {
      await this.organizations.lockSeeding(tx);
      if (await this.organizations.hasAny(tx)) return null;
      const organizationId = newId();
      const projectId = newId();
      await this.organizations.insert(tx, {
        id: organizationId,
        name: 'My organization',
        slug: 'my-organization',
        parentId: null,
      });
      await this.projects.insert(tx, {
        id: projectId,
        organizationId,
        name: 'My project',
        slug: 'my-project',
        environment: 'development',
        settings: defaultSettings,
      });
      const auditTarget = { organizationId, projectId: null, targetId: organizationId };
      this.audit.record(tx, { ...auditTarget, action: 'organization.created' });
      this.audit.record(tx, {
        ...auditTarget,
        projectId,
        action: 'project.created',
        targetId: projectId,
      });
      const admin = { id: newId(), email: operator.email, name: null, passwordHash, role: 'admin' } as const;
      await this.operators.insert(tx, { ...admin, organizationIds: null });
      this.audit.record(tx, operatorAction('operator.created', admin, { role: 'admin' }));
      const createKey = (name: string, type: ApiKeyType, access: Access) =>
        this.insertKey(tx, { name, type, access, organizationId, projectId });
      const credentials: Credentials = {
        baseUrl: this.config.publicUrl,
        organizationId,
        projectId,
        secretKey: await createKey('Organization key', 'secret', 'organization'),
        projectSecretKey: await createKey('Project key', 'secret', 'project'),
        publishableKey: await createKey('Publishable key', 'publishable', 'project'),
        operator,
      };
      // Written before the commit: a file with keys that do not exist is better than keys whose values are
      // lost.
      writeCredentials(this.config.dataDir, credentials);
      return credentials;
    });
  }

  /** Updates `baseUrl` in `credentials.json` when the server's URL has changed, for example its port. */
  refreshBaseUrl(): void {
    const path = join(this.config.dataDir, 'credentials.json');
    if (!existsSync(path)) return;
    const credentials = JSON.parse(readFileSync(path, 'utf8')) as Credentials;
    if (credentials.baseUrl === this.config.publicUrl) return;
    writeCredentials(this.config.dataDir, { ...credentials, baseUrl: this.config.publicUrl });
  }

  private isSeeded(): Promise<boolean> {
    return this.transactions.run((tx) => this.organizations.hasAny(tx));
  }

  private async insertKey(
    tx: Tx,
    key: { name: string; type: ApiKeyType; access: Access; organizationId: string; projectId: string },
  ): Promise<string> {
    const { value, stored } = generateApiKey(key.type);
    const id = newId();
    const keyScopes = key.type === 'secret' ? [...firstKeyScopes] : [];
    const defaults = { rateLimit: null, expiresAt: null, rotatedFrom: null };
    const row = { ...key, ...stored, ...defaults, id, scopes: keyScopes };
    await this.apiKeys.insert(tx, row);
    const { organizationId, projectId, type, access } = key;
    const auditTarget = {
      organizationId,
      projectId,
      targetId: id,
      details: { type, access, scopes: keyScopes },
    };
    this.audit.record(tx, { ...auditTarget, action: 'api_key.created' });
    return value;
  }
}

function writeCredentials(dataDir: string, credentials: Credentials): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'credentials.json');
  writeFileSync(`${path}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}
