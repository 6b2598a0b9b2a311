import { scopes } from '@gatehouse/domain';
import type { LegacySystem } from '../support/legacy-system.js';
import type { OperatorClient } from '../support/operator-client.js';
import { allMethods } from '../support/sign-in-methods.js';
import { openPortal } from '../support/stripe-stub.js';
import type { TestInstance } from '../support/test-instance.js';
import { expectStatus } from '../support/customers.js';
import type { Manifest, ProjectKeys, SignInFixture } from './manifest.js';
import { send } from './requests.js';

/** A custom email template, for a kind that every registration sends. */
export const TEMPLATE: SignInFixture['template'] = {
  kind: 'verify-email',
  language: 'en',
  subject: 'Almost there, {{email}}',
};

/** Creates projects, organizations and keys in every state. */
export class ProjectFiller {
  constructor(
    private readonly instance: TestInstance,
    private readonly operator: OperatorClient,
  ) {}

  /** Creates two projects in addition to the first one, one of them in another organization. */
  async createProjects(): Promise<Manifest['projects']> {
    const { organizationId, projectId, secretKey, publishableKey } = this.instance.credentials;
    const second = await this.create(organizationId, 'Shop', {
      ...{ accessTokenTtl: 900, branding: { displayName: 'Shop', color: '#0b6e5f' } },
      ...{ accessTokenClaims: ['locale', 'externalId'], passwordHashing: 'portable', defaultLocale: 'de' },
      ...{ limits: { login: 60, failedLogin: 5 }, mailLimits: { signUp: 500, perRecipient: 20 } },
      ...{ mail: { fromName: 'Shop', replyTo: 'help@example.com' }, refreshGrace: 60 },
    });
    const { id } = await this.post('/organizations', { name: 'Lumen Health', slug: 'lumen-health' });
    const third = await this.create(id as string, 'Patient portal');
    const archived = await this.create(organizationId, 'Trial');
    await this.post(`/projects/${archived.projectId}/archive`);
    await send(this.instance, secretKey, 'POST', '/api/v1/organizations', {
      ...{ name: 'Lumen Dental', slug: 'lumen-dental' },
    });
    expectStatus(200, await openPortal(this.instance, secretKey));
    await this.createKeys(`/projects/${projectId}/api-keys`);
    return [{ organizationId, projectId, secretKey, publishableKey }, second, third];
  }

  /**
   * Creates a project with every sign-in method, an RSA signing key, a custom email template, and a previous system from
   * which customers move.
   */
  async createMembers(organizationId: string, legacy: LegacySystem): Promise<ProjectKeys> {
    const keys = await this.create(organizationId, 'Members', {
      ...{ ...allMethods, signingAlgorithm: 'RS256', legacySignIn: legacy.setting },
      ...{
        passkeys: { rpId: 'localhost', rpName: 'Members', origins: ['http://localhost:5173'] },
        refreshAbsoluteTtl: 31_536_000,
      },
    });
    const { kind, language, subject } = TEMPLATE;
    const templates = `/api/v1/projects/${keys.projectId}/mail-templates`;
    await send(this.instance, keys.secretKey, 'PATCH', `${templates}/${kind}/${language}`, { subject });
    await send(this.instance, keys.secretKey, 'PATCH', `${templates}/email-code/de`, {
      subject: 'Ihr Code: {{code}}',
    });
    return keys;
  }

  /** Creates a key that expires, a rotated key, a revoked key, and a key with a rate limit. */
  private async createKeys(path: string): Promise<void> {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await this.post(path, { name: 'Expires soon', expiresAt });
    const rotated = await this.post(path, { name: 'Rotated' });
    await this.post(`${path}/${rotated['id']}/rotate`);
    const revoked = await this.post(path, { name: 'Revoked' });
    await this.send('DELETE', `${path}/${revoked['id']}`);
    await this.post(path, { name: 'Limited', scopes: ['customer:read'], rateLimit: 5 });
  }

  private async create(organizationId: string, name: string, settings = {}): Promise<ProjectKeys> {
    const { id } = await this.post('/projects', { organizationId, name, settings });
    const path = `/projects/${id}/api-keys`;
    const secret = await this.post(path, { name: 'Backend', access: 'organization', scopes });
    const publishable = await this.post(path, { name: 'Web', type: 'publishable' });
    return {
      ...{ organizationId, projectId: id as string },
      ...{ secretKey: secret['key'] as string, publishableKey: publishable['key'] as string },
    };
  }

  private post(path: string, body?: object): Promise<Record<string, any>> {
    return this.send('POST', path, body);
  }

  private async send(method: string, path: string, body?: object): Promise<Record<string, any>> {
    const response = await this.operator.request(method, path, body);
    if (response.status < 300) return response.body as Record<string, any>;
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  }
}
