import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Caller } from '@gatehouse/auth';
import { addressLimits, secretKeyLimit, type AddressLimit } from '@gatehouse/domain';
import { Config, limitReachedError, RateLimiter, type LimitPolicy } from '@gatehouse/platform';
import {
  addressPolicy,
  isAdjustable,
  type CountedRequest,
  type LimitedProject,
  type RouteLimit,
} from './address-limit.js';
import { addressBlock, isLoopback } from '../client-address.js';
import { clientIp, type GatehouseRequest } from '../request-context.js';

export const RATE_LIMIT = Symbol('rate limit');

/** Limits the route for each combination of client IP and project. */
export const RateLimit = (name: RouteLimit): MethodDecorator => SetMetadata(RATE_LIMIT, name);

/** Counts requests against the rate limits. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  /**
   * @param quota the key's requests per second; null for the default
   * @throws GatehouseError `rate_limited` if a secret key sends too many requests
   */
  async limitKey(keyId: string, quota: number | null): Promise<void> {
    if (!this.config.http.rateLimits) return;
    const { window, quota: fallback } = secretKeyLimit;
    await this.consume({ name: 'secret-key', quota: quota ?? fallback, windowSeconds: window }, keyId);
  }

  /** @throws GatehouseError `rate_limited` if a client IP sends too many requests to a project, or without a project */
  async limitAddress(
    name: RouteLimit,
    request: GatehouseRequest,
    project: LimitedProject | null,
  ): Promise<void> {
    const block = this.limitedBlock(request);
    if (block !== null) await this.consume(addressPolicy(name, project), `${project?.id ?? ''}:${block}`);
  }

  /**
   * Counts a request across projects, because its project is not yet known.
   * @returns the count, to which the project is added later, or undefined if the address is not limited
   * @throws GatehouseError `rate_limited` beyond the highest limit that a project can have
   */
  async countAddress(name: AddressLimit, request: GatehouseRequest): Promise<CountedRequest | undefined> {
    const block = this.limitedBlock(request);
    if (block === null) return undefined;
    const policy = { ...addressPolicy(name, null), quota: addressLimits[name].max };
    const countFor = (projectId: string) => this.limiter.count(policy, `${projectId}:${block}`);
    const total = await countFor('');
    if (total.count > policy.quota) throw limitReachedError('rate_limited', policy, total.secondsLeft);
    return { name, ...total, countForProject: countFor };
  }

  private async consume(policy: LimitPolicy, key: string): Promise<void> {
    const wait = await this.limiter.consume(policy, key);
    if (wait !== null) throw limitReachedError('rate_limited', policy, wait);
  }

  /** Returns the client's address block, or null if it is not limited. */
  private limitedBlock(request: GatehouseRequest): string | null {
    const address = clientIp(request);
    if (!this.config.http.rateLimits || !address) return null;
    return !this.config.production && isLoopback(address) ? null : addressBlock(address);
  }
}

/** Returns a caller's project with its limits, or null. */
function projectOf(caller: Caller | undefined): LimitedProject | null {
  if (caller?.kind !== 'access-token') return caller?.project ?? null;
  return { id: caller.customer.projectId, settings: { limits: caller.limits } };
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
    const name = this.reflector.get<RouteLimit | undefined>(RATE_LIMIT, context.getHandler());
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const { caller } = request;
    if (caller?.kind === 'secret-key') await this.limits.limitKey(caller.keyId, caller.rateLimit);
    if (!name) return true;
    const project = projectOf(caller);
    if (project || !isAdjustable(name)) await this.limits.limitAddress(name, request, project);
    else request.counted = await this.limits.countAddress(name, request);
    return true;
  }
}
