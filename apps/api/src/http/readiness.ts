import { unavailable } from '@gatehouse/domain';

/**
 * This process's lifecycle state: it listens immediately, serves requests once it has started, and drains before it
 * stops.
 */
export class Readiness {
  started = false;
  draining = false;

  /**
   * Rejects requests until the process has started.
   * @throws GatehouseError `unavailable` while the process is still waiting for its database
   */
  assertStarted(): void {
    if (!this.started) {
      throw unavailable({ detail: 'The service is starting.' });
    }
  }
}
