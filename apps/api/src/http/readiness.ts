import { unavailable } from '@gatehouse/domain';

/** How far this process has come: it listens at once, works when it has started, and drains before it stops. */
export class Readiness {
  started = false;
  draining = false;

  /** @throws GatehouseError `unavailable` while the process is still waiting for its database */
  assertStarted(): void {
    if (!this.started) {
      throw unavailable({ detail: 'The service is starting.' });
    }
  }
}
