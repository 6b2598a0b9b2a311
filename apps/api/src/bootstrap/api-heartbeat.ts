import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { ApisRepository } from '@gatehouse/persistence';
import { newId, VERSION, withTimeout } from '@gatehouse/platform';

/** Pause between two heartbeats, in ms. */
export const HEARTBEAT_INTERVAL_MS = 15_000;

/** Maximum time that removing the heartbeat may delay the shutdown, in ms. */
const END_TIMEOUT_MS = 1_000;

/** Records that this process is running, and its version, so that other API processes can check both (ADR 0045). */
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
