import { Injectable } from '@nestjs/common';
import type { ClaimCapacity } from '@gatehouse/persistence';
import { Config, type DeliveryPointer } from '@gatehouse/platform';

/** Maximum shares of a worker's concurrent attempts: for one endpoint, and for all endpoints of one project. */
const ENDPOINT_SHARE = 1 / 4;
const PROJECT_SHARE = 3 / 4;

/**
 * Maximum shares for first attempts, retries and bulk redeliveries. The last two together leave a quarter for first
 * attempts.
 */
const URGENCY_SHARES = [1, 1 / 2, 1 / 4];

/** Identifies the endpoint, the project and the urgency whose capacity an attempt uses. */
export type ConcurrencyKey = Omit<DeliveryPointer, 'deliveryId'> & { urgency: number };

/**
 * Limits this worker's concurrent attempts, so that a hanging endpoint, a project with many of them, or a bulk
 * redelivery leaves capacity for all others (requirement WH-13).
 */
@Injectable()
export class ConcurrencyLimits {
  /** Endpoints whose jobs were rejected because there was no capacity. */
  readonly blockedEndpoints = new Set<string>();
  /** Number of releases since the start. */
  releaseCount = 0;
  private readonly endpoints = new Map<string, number>();
  private readonly projects = new Map<string, number>();
  private readonly urgencies = [0, 0, 0];
  private readonly concurrency: number;
  private readonly perEndpoint: number;
  private readonly perProject: number;
  private total = 0;

  constructor(config: Config) {
    this.concurrency = config.webhooks.concurrency;
    this.perEndpoint = maxForShare(this.concurrency, ENDPOINT_SHARE);
    this.perProject = maxForShare(this.concurrency, PROJECT_SHARE);
  }

  /**
   * Acquires capacity for an attempt before its claim.
   * @returns false if there is none; the endpoint is then added to `blockedEndpoints`
   */
  tryAcquire(key: ConcurrencyKey): boolean {
    const hasCapacity =
      this.total < this.concurrency &&
      this.urgencies[key.urgency]! < this.maxForUrgency(key.urgency) &&
      !this.isAtLimit(key);
    if (hasCapacity) this.acquire(key);
    else this.blockedEndpoints.add(key.endpointId);
    return hasCapacity;
  }

  /** Acquires capacity for an attempt that has already been claimed, regardless of the limits. */
  acquire(key: ConcurrencyKey): void {
    this.total += 1;
    this.adjustTarget(key, 1);
  }

  /** Releases the capacity for an attempt that was not claimed. */
  release(key: ConcurrencyKey): void {
    this.adjustTarget(key, -1);
    this.releaseWorker();
  }

  /** Releases the endpoint, project and urgency capacity after the target's response. */
  releaseTarget(key: ConcurrencyKey): void {
    this.adjustTarget(key, -1);
    this.releaseCount += 1;
  }

  /** Releases the worker's capacity after the outcome was recorded. */
  releaseWorker(): void {
    this.total -= 1;
    this.releaseCount += 1;
  }

  /**
   * Returns whether this many attempts of each urgency can be claimed without exceeding a limit, even if all have the
   * same endpoint.
   */
  hasCapacityFor(attemptsByUrgency: readonly number[]): boolean {
    const attempts = attemptsByUrgency.reduce((sum, count) => sum + count, 0);
    return (
      this.total + attempts <= this.concurrency &&
      attemptsByUrgency.every(
        (count, urgency) => this.urgencies[urgency]! + count <= this.maxForUrgency(urgency),
      ) &&
      Math.max(0, ...this.endpoints.values()) + attempts <= this.perEndpoint &&
      Math.max(0, ...this.projects.values()) + attempts <= this.perProject
    );
  }

  /**
   * Returns the capacity for a claim, at most `limit` deliveries. The limits are approximate, because jobs may acquire
   * capacity before the claim does.
   */
  getCapacity(limit: number): ClaimCapacity {
    return {
      limit: Math.max(0, Math.min(limit, this.concurrency - this.total)),
      maxPerEndpoint: this.perEndpoint,
      maxPerProject: this.perProject,
      inFlightByEndpoint: new Map(this.endpoints),
      inFlightByProject: new Map(this.projects),
      limitByUrgency: this.urgencies.map((used, urgency) => Math.max(0, this.maxForUrgency(urgency) - used)),
    };
  }

  private isAtLimit({ endpointId, projectId }: ConcurrencyKey): boolean {
    const used = this.endpoints.get(endpointId) ?? 0;
    const usedByProject = projectId === null ? 0 : (this.projects.get(projectId) ?? 0);
    return used >= this.perEndpoint || usedByProject >= this.perProject;
  }

  private maxForUrgency(urgency: number): number {
    return maxForShare(this.concurrency, URGENCY_SHARES[urgency]!);
  }

  private adjustTarget({ endpointId, projectId, urgency }: ConcurrencyKey, change: number): void {
    this.urgencies[urgency]! += change;
    adjustCount(this.endpoints, endpointId, change);
    if (projectId !== null) adjustCount(this.projects, projectId, change);
  }
}

/** Returns the limits that are exhausted after the `claimed` attempts have used the capacity. */
export function exhaustedLimits(
  capacity: ClaimCapacity,
  claimed: readonly ConcurrencyKey[],
): ExhaustedLimits {
  const endpoints = new Map(capacity.inFlightByEndpoint);
  const projects = new Map(capacity.inFlightByProject);
  const urgencies = [...capacity.limitByUrgency];
  for (const { endpointId, projectId, urgency } of claimed) {
    adjustCount(endpoints, endpointId, 1);
    if (projectId !== null) adjustCount(projects, projectId, 1);
    urgencies[urgency]! -= 1;
  }
  const exhausted = {
    endpoints: idsAtLimit(endpoints, capacity.maxPerEndpoint),
    projects: idsAtLimit(projects, capacity.maxPerProject),
    urgencies: urgencies.flatMap((remaining, urgency) => (remaining <= 0 ? urgency : [])),
  };
  const hasAny =
    claimed.length >= capacity.limit || Object.values(exhausted).some(({ length }) => length > 0);
  return { ...exhausted, hasAny };
}

export interface ExhaustedLimits {
  endpoints: string[];
  projects: string[];
  urgencies: number[];
  /** True if any limit is exhausted. More deliveries may then be due than were claimed. */
  hasAny: boolean;
}

const idsAtLimit = (counts: Map<string, number>, limit: number): string[] =>
  [...counts].filter(([, count]) => count >= limit).map(([id]) => id);

const maxForShare = (concurrency: number, share: number): number =>
  Math.max(1, Math.floor(concurrency * share));

function adjustCount(counts: Map<string, number>, id: string, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
