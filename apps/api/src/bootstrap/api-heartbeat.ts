import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { ApisRepository } from '@gatehouse/persistence';
import { newId, VERSION, withTimeout } from '@gatehouse/platform';

/** Pause between two heartbeats, in ms. */
export const HEARTBEAT_INTERVAL_MS = 15_000;

/** Maximum time that removing the heartbeat may delay the shutdown, in ms. */
const END_TIMEOUT_MS = 1_000;

/** Records for the other API processes that this process is running, and which version it has (ADR 0045). */
@Injectable()
export class ApiHeartbeat {
  private readonly id = newId();

  constructor(private readonly apis: ApisRepository) {}

  record(): Promise<void> {
    return this.apis.recordHeartbeat({ id: this.id, host: hostname(), version: VERSION });
  }

  /** Removes the heartbeat. If the database is unavailable, the heartbeat becomes outdated instead. */
  async end(): Promise<void> {
    await withTimeout(this.apis.remove(this.id), END_TIMEOUT_MS, 'PostgreSQL did not respond').catch(
      () => undefined,
    );
  }
}
