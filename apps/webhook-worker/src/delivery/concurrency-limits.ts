import { Injectable } from '@nestjs/common';
import type { ClaimCapacity } from '@gatehouse/persistence';
import { Config, type DeliveryPointer } from '@gatehouse/platform';

/** Of all attempts in flight: the most that one endpoint, and the endpoints of one project, may hold. */
const ENDPOINT_SHARE = 1 / 4;
const PROJECT_SHARE = 3 / 4;

/** The most that first attempts, retries and batches may hold: the latter two leave a quarter to the first. */
const URGENCY_SHARES = [1, 1 / 2, 1 / 4];

/** Whose room an attempt takes. */
export type ConcurrencyKey = Omit<DeliveryPointer, 'deliveryId'> & { urgency: number };

/**
 * Room in flight of this worker, shared out so that an endpoint which hangs, a project of such endpoints, or a batch
 * leaves room for everybody else (requirement WH-13).
 */
@Injectable()
export class ConcurrencyLimits {
  /** Endpoints whose jobs were turned away for want of room. */
  readonly blockedEndpoints = new Set<string>();
  /** How often room was given back. */
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

  /** Takes room for an attempt that waits to be claimed. @returns false where there is none; the endpoint is held then */
  tryAcquire(key: ConcurrencyKey): boolean {
    const hasRoom =
      this.total < this.concurrency &&
      this.urgencies[key.urgency]! < maxForShare(this.concurrency, URGENCY_SHARES[key.urgency]!) &&
      !this.isAtLimit(key);
    if (hasRoom) this.acquire(key);
    else this.blockedEndpoints.add(key.endpointId);
    return hasRoom;
  }

  /** Takes room for an attempt that has been claimed already. */
  acquire(key: ConcurrencyKey): void {
    this.adjustCounts(key, 1);
  }

  release(key: ConcurrencyKey): void {
    this.adjustCounts(key, -1);
    this.releaseCount += 1;
  }

  /** What may be claimed now, at most `limit`. Jobs that enter before it is claimed come on top: the bounds are about. */
  getCapacity(limit: number): ClaimCapacity {
    return {
      limit: Math.max(0, Math.min(limit, this.concurrency - this.total)),
      maxPerEndpoint: this.perEndpoint,
      maxPerProject: this.perProject,
      inFlightByEndpoint: new Map(this.endpoints),
      inFlightByProject: new Map(this.projects),
      limitByUrgency: this.urgencies.map((taken, urgency) =>
        Math.max(0, maxForShare(this.concurrency, URGENCY_SHARES[urgency]!) - taken),
      ),
    };
  }

  private isAtLimit({ endpointId, projectId }: ConcurrencyKey): boolean {
    const taken = this.endpoints.get(endpointId) ?? 0;
    const takenByProject = projectId === null ? 0 : (this.projects.get(projectId) ?? 0);
    return taken >= this.perEndpoint || takenByProject >= this.perProject;
  }

  private adjustCounts({ endpointId, projectId, urgency }: ConcurrencyKey, change: number): void {
    this.total += change;
    this.urgencies[urgency]! += change;
    adjustCount(this.endpoints, endpointId, change);
    if (projectId !== null) adjustCount(this.projects, projectId, change);
  }
}

/** What there is no room for any more once `claimed` have entered the room. */
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
  const full = {
    endpoints: idsAtLimit(endpoints, capacity.maxPerEndpoint),
    projects: idsAtLimit(projects, capacity.maxPerProject),
    urgencies: urgencies.flatMap((left, urgency) => (left <= 0 ? urgency : [])),
  };
  const isAny = claimed.length >= capacity.limit || Object.values(full).some(({ length }) => length > 0);
  return { ...full, isAny };
}

export interface ExhaustedLimits {
  endpoints: string[];
  projects: string[];
  urgencies: number[];
  /** Whether anything at all is filled: then more may be due than was claimed. */
  isAny: boolean;
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
