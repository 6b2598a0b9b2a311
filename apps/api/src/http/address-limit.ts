import {
  addressLimits,
  defaultLimits,
  fixedLimits,
  limitSetting,
  type AddressLimit,
  type ProjectLimits,
} from '@gatehouse/domain';
import { limitReached, type LimitPolicy } from './limit-reached.js';

/** The limit of a route: one that projects set, or one that is the same for all. */
export type RouteLimit =
  | AddressLimit
  | 'oauth-callback'
  | 'provider-test'
  | 'domain-check'
  | 'operator-login';

/** The project whose limits apply to a request. */
export interface LimitedProject {
  id: string;
  settings: { limits: ProjectLimits };
}

/**
 * A counted request without a credential, whose project becomes known only when its token is read. The service that reads
 * the token calls `assertWithinLimit` (docs/adr/0060).
 */
export interface CountedRequest {
  name: AddressLimit;
  /** Number of requests of the client address in the current window, across all projects. */
  count: number;
  secondsLeft: number;
}

/** Returns true if projects can change the limit. */
export const isAdjustable = (name: RouteLimit): name is AddressLimit => name in addressLimits;

/** Returns the limit per client address, with the quota of the project, or the default without one. */
export function addressPolicy(name: RouteLimit, project: LimitedProject | null): LimitPolicy {
  if (!isAdjustable(name)) {
    const { quota, window } = fixedLimits[name];
    return { name, quota, windowSeconds: window };
  }
  const { limits } = project?.settings ?? { limits: defaultLimits };
  return { name, quota: limits[limitSetting(name)], windowSeconds: addressLimits[name].window };
}

/**
 * Applies the limit of a project to a counted request.
 * @param project null if the token leads to no project: then the default applies
 * @throws GatehouseError `rate_limited`
 */
export function assertWithinLimit(counted: CountedRequest | undefined, project: LimitedProject | null): void {
  if (!counted) return;
  const policy = addressPolicy(counted.name, project);
  if (counted.count > policy.quota) throw limitReached('rate_limited', policy, counted.secondsLeft);
}
