import { Injectable } from '@nestjs/common';
import type { Room } from '@gatehouse/persistence';
import { Config, type DeliveryPointer } from '@gatehouse/platform';

/** Of all attempts in flight: the most that one endpoint, and the endpoints of one project, may hold. */
const ENDPOINT_SHARE = 1 / 4;
const PROJECT_SHARE = 3 / 4;

/** The most that first attempts, retries and batches may hold: the latter two leave a quarter to the first. */
const URGENCY_SHARES = [1, 1 / 2, 1 / 4];

/** Whose room an attempt takes. */
export type Lane = Omit<DeliveryPointer, 'deliveryId'> & { urgency: number };

/**
 * Room in flight of this worker, shared out so that an endpoint which hangs, a project of such endpoints, or a batch
 * leaves room for everybody else (requirement WH-13).
 */
@Injectable()
export class Lanes {
  /** Endpoints whose jobs were turned away for want of room. */
  readonly held = new Set<string>();
  /** How often room was given back. */
  leaves = 0;
  private readonly endpoints = new Map<string, number>();
  private readonly projects = new Map<string, number>();
  private readonly urgencies = [0, 0, 0];
  private readonly concurrency: number;
  private readonly perEndpoint: number;
  private readonly perProject: number;
  private total = 0;

  constructor(config: Config) {
    this.concurrency = config.webhooks.concurrency;
    this.perEndpoint = shareOf(this.concurrency, ENDPOINT_SHARE);
    this.perProject = shareOf(this.concurrency, PROJECT_SHARE);
  }

  /** Takes room for an attempt that waits to be claimed. @returns false where there is none; the endpoint is held then */
  tryEnter(lane: Lane): boolean {
    const hasRoom =
      this.total < this.concurrency &&
      this.urgencies[lane.urgency]! < shareOf(this.concurrency, URGENCY_SHARES[lane.urgency]!) &&
      !this.isFull(lane);
    if (hasRoom) this.enter(lane);
    else this.held.add(lane.endpointId);
    return hasRoom;
  }

  /** Takes room for an attempt that has been claimed already. */
  enter(lane: Lane): void {
    this.count(lane, 1);
  }

  leave(lane: Lane): void {
    this.count(lane, -1);
    this.leaves += 1;
  }

  /** What may be claimed now, at most `limit`. Jobs that enter before it is claimed come on top: the bounds are about. */
  room(limit: number): Room {
    return {
      limit: Math.max(0, Math.min(limit, this.concurrency - this.total)),
      perEndpoint: this.perEndpoint,
      perProject: this.perProject,
      endpoints: new Map(this.endpoints),
      projects: new Map(this.projects),
      urgencies: this.urgencies.map((taken, urgency) =>
        Math.max(0, shareOf(this.concurrency, URGENCY_SHARES[urgency]!) - taken),
      ),
    };
  }

  private isFull({ endpointId, projectId }: Lane): boolean {
    const taken = this.endpoints.get(endpointId) ?? 0;
    const takenByProject = projectId === null ? 0 : (this.projects.get(projectId) ?? 0);
    return taken >= this.perEndpoint || takenByProject >= this.perProject;
  }

  private count({ endpointId, projectId, urgency }: Lane, change: number): void {
    this.total += change;
    this.urgencies[urgency]! += change;
    add(this.endpoints, endpointId, change);
    if (projectId !== null) add(this.projects, projectId, change);
  }
}

/** What there is no room for any more once `claimed` have entered the room. */
export function filled(room: Room, claimed: readonly Lane[]): Filled {
  const endpoints = new Map(room.endpoints);
  const projects = new Map(room.projects);
  const urgencies = [...room.urgencies];
  for (const { endpointId, projectId, urgency } of claimed) {
    add(endpoints, endpointId, 1);
    if (projectId !== null) add(projects, projectId, 1);
    urgencies[urgency]! -= 1;
  }
  const full = {
    endpoints: atLeast(endpoints, room.perEndpoint),
    projects: atLeast(projects, room.perProject),
    urgencies: urgencies.flatMap((left, urgency) => (left <= 0 ? urgency : [])),
  };
  const isAny = claimed.length >= room.limit || Object.values(full).some(({ length }) => length > 0);
  return { ...full, isAny };
}

export interface Filled {
  endpoints: string[];
  projects: string[];
  urgencies: number[];
  /** Whether anything at all is filled: then more may be due than was claimed. */
  isAny: boolean;
}

const atLeast = (counts: Map<string, number>, most: number): string[] =>
  [...counts].filter(([, count]) => count >= most).map(([id]) => id);

const shareOf = (concurrency: number, share: number): number => Math.max(1, Math.floor(concurrency * share));

function add(counts: Map<string, number>, id: string, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
