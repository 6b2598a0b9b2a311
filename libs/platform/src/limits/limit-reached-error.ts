import { GatehouseError, type ErrorDetails, type LimitName } from '@gatehouse/domain';
import { rateLimitHeaders, type RateLimitPolicy } from './rate-limiter.js';

/** A limit whose name a response can contain. */
export interface LimitPolicy extends RateLimitPolicy {
  name: LimitName;
}

/**
 * Returns the 429 for a limit. The headers and the member `limit` contain the limit's name.
 * @param retryAfter in seconds
 */
export const limitReachedError = (
  code: 'rate_limited' | 'too_many_attempts',
  policy: LimitPolicy,
  retryAfter: number,
  details: Pick<ErrorDetails, 'detail' | 'subject'> = {},
): GatehouseError =>
  new GatehouseError(code, {
    ...details,
    headers: rateLimitHeaders(policy, retryAfter),
    members: { limit: policy.name },
  });
