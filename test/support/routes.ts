import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { mergeDocuments } from './conformance.mjs';
import { newProvider } from './identity-providers/provider-requests.js';
import { resolveReference } from './resolve-reference.mjs';
import type { TestInstance } from './test-instance.js';

/** The credential types that a route can accept. */
export type CredentialKind = 'secret' | 'access' | 'publishable' | 'operator';

export interface RouteInput {
  in: 'path' | 'query' | 'header' | 'body';
  /** A field's name, or its path in a nested object, such as `settings.accessTokenTtl`. */
  name: string;
  schema: Record<string, any>;
}

/** A route in the instance's OpenAPI document. */
export interface Route {
  /** Method and path, such as `GET /api/v1/projects/{projectId}`. */
  name: string;
  method: string;
  path: string;
  kinds: CredentialKind[];
  inputs: RouteInput[];
  /** True if the body has required fields. */
  needsBody: boolean;
}

type Json = Record<string, any>;

/** Returns the credential type of a security scheme. @throws Error for an unknown scheme */
function credentialKind(scheme: string): CredentialKind {
  const kind = (['secret', 'access', 'publishable', 'operator'] as const).find((each) =>
    scheme.startsWith(each),
  );
  if (!kind) throw new Error(`add the security scheme ${scheme} to test/support/routes.ts`);
  return kind;
}

/** Returns every route in a running instance's documents. */
export async function listDocumentedRoutes(instance: TestInstance): Promise<Route[]> {
  const [forKeys, forConsole] = await Promise.all(
    ['/openapi.json', '/operator/openapi.json'].map((path) => instance.request('GET', path)),
  );
  const document = mergeDocuments({ public: forKeys!.body, operator: forConsole!.body });
  const reader = new RouteReader(document);
  return Object.entries(document['paths'] as Json).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => method in item)
      .map((method) => reader.readRoute(method.toUpperCase(), path, item as Json)),
  );
}

class RouteReader {
  constructor(private readonly document: Json) {}

  readRoute(method: string, path: string, item: Json): Route {
    const operation = item[method.toLowerCase()] as Json;
    const parameters = [...(item['parameters'] ?? []), ...(operation['parameters'] ?? [])] as Json[];
    const body = this.readBody(operation);
    return {
      name: `${method} ${path}`,
      method,
      path,
      kinds: this.readCredentialKinds(operation),
      inputs: [
        ...parameters
          .map((parameter) => this.resolve(parameter))
          .map((parameter) => ({
            in: parameter['in'] as RouteInput['in'],
            name: parameter['name'] as string,
            schema: this.resolve(parameter['schema'] ?? {}),
          })),
        ...(body ? this.readFields(body) : []),
      ],
      needsBody: body ? this.requiredFields(body) : false,
    };
  }

  private readCredentialKinds(operation: Json): CredentialKind[] {
    const options = (operation['security'] ?? this.document['security'] ?? []) as Json[];
    return [...new Set(options.flatMap((option) => Object.keys(option).map(credentialKind)))];
  }

  private readBody(operation: Json): Json | null {
    const body = operation['requestBody'] as Json | undefined;
    const schema = body && (this.resolve(body)['content']?.['application/json']?.schema as Json | undefined);
    return schema ? this.resolve(schema) : null;
  }

  private readFields(schema: Json, prefix = ''): RouteInput[] {
    return this.listVariants(schema).flatMap((variant) =>
      Object.entries((variant['properties'] ?? {}) as Json).flatMap(([name, field]): RouteInput[] => {
        const inner = this.resolve(field as Json);
        const items = inner['items'] ? this.resolve(inner['items'] as Json) : null;
        return [
          { in: 'body', name: prefix + name, schema: inner },
          ...this.readFields(inner, `${prefix}${name}.`),
          ...(items ? this.readFields(items, `${prefix}${name}.0.`) : []),
        ];
      }),
    );
  }

  private requiredFields(schema: Json): boolean {
    return this.listVariants(schema).some(({ required = [] }) => (required as string[]).length > 0);
  }

  /** Returns a schema and the schemas of which it is composed. */
  private listVariants(schema: Json): Json[] {
    const parts = [schema['allOf'], schema['oneOf'], schema['anyOf']].flatMap(
      (list) => (list ?? []) as Json[],
    );
    return [schema, ...parts.flatMap((part) => this.listVariants(this.resolve(part)))];
  }

  private resolve(node: Json): Json {
    return resolveReference(node, this.document) as Json;
  }
}

const bytes = (): string => randomBytes(32).toString('base64url');
const passkeyResponse = (response: Json): Json => {
  const id = bytes();
  return { id, rawId: id, type: 'public-key', response: { clientDataJSON: bytes(), ...response } };
};
const assertion = (): Json => passkeyResponse({ authenticatorData: bytes(), signature: bytes() });
const registration = (): Json => passkeyResponse({ attestationObject: bytes() });
const name = (): string => `sample-${randomUUID().slice(0, 18)}`;
const email = (): string => `${randomUUID()}@example.com`;

const redirectUrl = 'https://app.example.com/welcome';
const oauthTarget = (): Json => ({ redirectUrl, codeChallenge: randomBytes(32).toString('base64url') });
const providerCode = (): Json => ({ code: name(), codeVerifier: bytes(), redirectUrl });

/** Sample bodies for routes that require a body, and for routes that change nothing without one. */
const sampleBodies: Record<string, () => Json> = {
  'POST /api/v1/auth/register': () => ({ email: email(), password: `${randomUUID()} phrase` }),
  'POST /api/v1/auth/login': () => ({ email: email(), password: name() }),
  'POST /api/v1/auth/options': () => ({ email: email() }),
  'POST /api/v1/auth/email-code': () => ({ email: email() }),
  'POST /api/v1/auth/email-code/verify': () => ({ token: name(), code: '123456' }),
  'POST /api/v1/auth/exchange': () => providerCode(),
  'POST /api/v1/auth/oauth/{provider}': () => oauthTarget(),
  'POST /api/v1/auth/oauth/{provider}/token': () => ({ idToken: name() }),
  'POST /api/v1/me/identities/{identity}': () => oauthTarget(),
  'POST /api/v1/me/identities/exchange': () => providerCode(),
  'POST /api/v1/me/reauthenticate/oauth/{provider}': () => oauthTarget(),
  'POST /api/v1/me/reauthenticate/exchange': () => providerCode(),
  'POST /api/v1/auth/sign-in-token': () => ({ token: name() }),
  'POST /api/v1/auth/forgot-password': () => ({ email: email() }),
  'POST /api/v1/auth/resend-verification': () => ({ email: email() }),
  'PATCH /api/v1/me': () => ({ firstName: name() }),
  'POST /api/v1/me/password': () => ({ currentPassword: name(), newPassword: name() }),
  'POST /api/v1/me/email': () => ({ email: email(), password: name() }),
  'POST /api/v1/me/delete': () => ({ currentPassword: name() }),
  'POST /api/v1/me/reauthenticate': () => ({ method: 'password', password: name() }),
  'POST /api/v1/auth/challenge/totp': () => ({ challengeToken: name(), code: '123456' }),
  'POST /api/v1/auth/challenge/recovery-code': () => ({ challengeToken: name(), code: name() }),
  'POST /api/v1/auth/challenge/enroll-totp': () => ({ challengeToken: name() }),
  'POST /api/v1/auth/passkey': () => ({ response: assertion() }),
  'POST /api/v1/auth/challenge/passkey/options': () => ({ challengeToken: name() }),
  'POST /api/v1/auth/challenge/passkey': () => ({ challengeToken: name(), response: assertion() }),
  'POST /api/v1/auth/challenge/enroll-passkey/options': () => ({ challengeToken: name() }),
  'POST /api/v1/auth/challenge/enroll-passkey': () => ({ challengeToken: name(), response: registration() }),
  'POST /api/v1/me/reauthenticate/options': () => ({ method: 'passkey' }),
  'POST /api/v1/me/passkeys/options': () => ({ password: name() }),
  'POST /api/v1/me/passkeys': () => ({ name: name(), response: registration() }),
  'PATCH /api/v1/me/passkeys/{passkeyId}': () => ({ name: name() }),
  'POST /api/v1/me/factors/totp': () => ({ password: name() }),
  'POST /api/v1/me/factors/totp/{factorId}/confirm': () => ({ code: '123456' }),
  'POST /api/v1/me/recovery-codes': () => ({ password: name() }),
  'POST /api/v1/customers/{customerId}/factors/{factorId}/remove': () => ({ reason: name() }),
  'POST /api/v1/customers/{customerId}/identities/{identityId}/remove': () => ({ reason: name() }),
  'POST /api/v1/customers/{customerId}/sign-in-tokens': () => ({ reason: name() }),
  'POST /api/v1/customers': () => ({ email: email() }),
  'PATCH /api/v1/customers/{customerId}': () => ({ firstName: name() }),
  'POST /v1/events': () => ({ type: 'app.sample', data: { name: name() } }),
  'POST /api/v1/customers/import': () => ({ customers: [{ email: email() }] }),
  'POST /api/v1/organizations': () => ({ name: name(), slug: name() }),
  'PATCH /api/v1/organizations/{organizationId}': () => ({ name: name() }),
  'POST /api/v1/projects': () => ({ name: name() }),
  'PATCH /api/v1/projects/{projectId}': () => ({ name: name() }),
  'PATCH /api/v1/projects/{projectId}/mail-templates/{kind}/{language}': () => ({ subject: name() }),
  'POST /api/v1/projects/{projectId}/mail-templates/{kind}/{language}/preview': () => ({ subject: name() }),
  'POST /api/v1/projects/{projectId}/identity-providers': () => newProvider(),
  'PATCH /api/v1/projects/{projectId}/identity-providers/{providerId}': () => ({ name: name() }),
  'POST /api/v1/projects/{projectId}/api-keys': () => ({ name: name() }),
  'POST /api/v1/projects/{projectId}/api-keys/{keyId}/rotate': () => ({
    overlapSeconds: randomInt(1, 604_800),
  }),
  'POST /api/v1/billing/portal': () => ({ returnUrl: `https://app.example.com/${name()}` }),
  'POST /v1/webhooks/endpoints': () => ({ url: `https://example.com/${name()}` }),
  'PATCH /v1/webhooks/endpoints/{endpointId}': () => ({ description: name() }),
  'POST /v1/webhooks/deliveries/{deliveryId}/redeliver': () => ({ reason: name() }),
  'POST /v1/webhooks/deliveries/{deliveryId}/discard': () => ({ reason: name() }),
  'POST /operator/v1/webhooks/deliveries/{deliveryId}/replay': () => ({
    url: `https://example.com/${name()}`,
    secret: `whsec_${randomBytes(32).toString('base64')}`,
  }),
  'POST /v1/webhooks/redeliveries': () => ({
    filter: { created_after: new Date(randomInt(2 ** 40)).toISOString() },
  }),
  'POST /v1/webhooks/redeliveries/{redeliveryId}/start': () => ({ reason: name() }),
  'POST /operator/v1/projects/{projectId}/mail-templates/{kind}/{language}/test': () => ({}),
  'POST /operator/v1/health/test-alert': () => ({ channel: 'webhook' }),
  'POST /operator/v1/health/test-mail': () => ({ to: email() }),
  'POST /operator/v1/operators': () => ({ email: email(), role: 'viewer' }),
  'PATCH /operator/v1/operators/{operatorId}': () => ({ name: name() }),
  'POST /v1/webhooks/endpoints/{endpointId}/recover': () => ({
    since: new Date(Date.now() - randomInt(1_000, 1_000_000)).toISOString(),
  }),
};

/** Returns the API routes that have the same body as a console route. */
const routesForKeys = ({ method, path }: Route): string[] =>
  ['/api/v1/', '/v1/'].map((prefix) => `${method} ${path.replace('/operator/v1/', prefix)}`);

/**
 * Returns a new valid body for a route, or undefined if the route takes none.
 * @throws Error for a route that requires a body and has no sample here
 */
export function sampleBody(route: Route): Json | undefined {
  const body = [route.name, ...routesForKeys(route)].map((each) => sampleBodies[each]?.()).find(Boolean);
  if (!body && route.needsBody)
    throw new Error(`add a sample body for ${route.name} to test/support/routes.ts`);
  return body;
}

/** Path parameter values that identify no tenant object. */
export const fixedPathValues: Record<string, string> = {
  kind: 'verify-email',
  language: 'de',
  domain: 'acme.example',
  provider: 'google',
};

/** Returns a path with values for its parameters. */
export const fillPath = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(values[key] ?? fixedPathValues[key] ?? `no-${key}`),
  );
