import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { GatehouseError } from '@gatehouse/domain';
import { Config, RateLimiter, rateLimitHeaders, type RateLimitPolicy } from '@gatehouse/platform';
import { addressBlock, isLoopback } from './client-address.js';
import { clientIp, type GatehouseRequest } from './request-context.js';

/** Maximum number of requests per minute, client address and project (contract, section 3). */
const addressQuotas = {
  options: 120,
  'email-code': 10,
  'email-code-verify': 30,
  exchange: 60,
  oauth: 60,
  'oauth-callback': 120,
  'provider-test': 10,
  'domain-check': 30,
  'sign-in-page': 60,
  login: 30,
  register: 30,
  verify: 30,
  reset: 30,
  forgot: 10,
  resend: 10,
  refresh: 120,
  reauthenticate: 30,
  challenge: 30,
  passkey: 30,
  'passkey-options': 60,
  'operator-login': 30,
};

const secretKeyPolicy: RateLimitPolicy = { name: 'secret-key', quota: 100, windowSeconds: 1 };

/** The name of a limit per client address and project. */
export type AddressLimit = keyof typeof addressQuotas;

export const RATE_LIMIT = Symbol('rate limit');

/** Limits the route per client address and project. */
export const RateLimit = (name: AddressLimit): MethodDecorator => SetMetadata(RATE_LIMIT, name);

/** Counts requests against the rate limits. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `rate_limited` if a secret key sends too many requests */
  async limitKey(keyId: string): Promise<void> {
    if (this.config.http.rateLimits) await this.consume(secretKeyPolicy, keyId);
  }

  /** @throws GatehouseError `rate_limited` if a client address sends too many requests to a project, or without one */
  async limitAddress(name: AddressLimit, request: GatehouseRequest, projectId: string | null): Promise<void> {
    const address = clientIp(request);
    if (!this.config.http.rateLimits || !address || (!this.config.production && isLoopback(address))) return;
    const policy = { name, quota: addressQuotas[name], windowSeconds: 60 };
    await this.consume(policy, `${projectId ?? ''}:${addressBlock(address)}`);
  }

  private async consume(policy: RateLimitPolicy, key: string): Promise<void> {
    const wait = await this.limiter.consume(policy, key);
    if (wait === null) return;
    throw new GatehouseError('rate_limited', { headers: rateLimitHeaders(policy, wait) });
  }
}

/** Rejects callers that exceed a rate limit, after authentication and before input validation. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  /** @throws GatehouseError `rate_limited` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.get<AddressLimit | undefined>(RATE_LIMIT, context.getHandler());
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const { caller } = request;
    if (caller?.kind === 'secret-key') await this.limits.limitKey(caller.keyId);
    const project = caller?.kind === 'access-token' ? caller.customer.projectId : caller?.project?.id;
    if (name) await this.limits.limitAddress(name, request, project ?? null);
    return true;
  }
}
