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

export const RATE_LIMIT = Symbol('rate limit');

/** Limits the route per client address and project. */
export const RateLimit = (name: keyof typeof addressQuotas): MethodDecorator => SetMetadata(RATE_LIMIT, name);

/** Rejects callers that exceed a rate limit, after authentication and before input validation. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `rate_limited` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.config.http.rateLimits) {
      const name = this.reflector.get<keyof typeof addressQuotas | undefined>(
        RATE_LIMIT,
        context.getHandler(),
      );
      const request = context.switchToHttp().getRequest<GatehouseRequest>();
      if (request.caller?.kind === 'secret-key') await this.consume(secretKeyPolicy, request.caller.keyId);
      if (name) await this.limitAddress(name, request);
    }
    return true;
  }

  private async limitAddress(name: keyof typeof addressQuotas, request: GatehouseRequest): Promise<void> {
    const address = clientIp(request);
    if (!address || (!this.config.production && isLoopback(address))) return;
    const { caller } = request;
    const project = caller?.kind === 'access-token' ? caller.customer.projectId : (caller?.project?.id ?? '');
    await this.consume(
      { name, quota: addressQuotas[name], windowSeconds: 60 },
      `${project}:${addressBlock(address)}`,
    );
  }

  private async consume(policy: RateLimitPolicy, key: string): Promise<void> {
    const wait = await this.limiter.consume(policy, key);
    if (wait === null) return;
    throw new GatehouseError('rate_limited', { headers: rateLimitHeaders(policy, wait) });
  }
}
