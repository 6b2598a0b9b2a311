import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError } from '@gatehouse/domain';
import {
  ApiMetrics,
  Deadline,
  LOGGER,
  ServerUnavailableError,
  UnreadableValues,
  type Logger,
} from '@gatehouse/platform';
import { describeProviderFailure, providerError } from './provider-failure.js';

/** Maximum number of sign-ins that wait for a provider at the same time (sign-in contract, section 2). */
const MAX_IN_FLIGHT = 50;

/**
 * Maximum time that a sign-in waits for all of its requests to a provider, in ms. Each request also has its own
 * limit.
 */
const MAX_WAIT_MS = 10_000;

/** A request's provider. `projectId` is null for the operators' provider. */
interface RequestedProvider {
  id: string;
  projectId: string | null;
}

/**
 * Limits the sign-ins that wait for a provider, so that a hanging provider does not delay other requests
 * (requirement FE-04).
 */
@Injectable()
export class ProviderRequestsService {
  private readonly inFlight = new Map<string, number>();

  constructor(
    @Inject(ApiMetrics) private readonly metrics: ApiMetrics | null,
    private readonly unreadable: UnreadableValues,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Runs requests to a provider. Logs failure reasons, and counts the results in the metrics.
   * @throws GatehouseError `provider_unavailable`, `sign_in_failed`; and every error that `work` throws
   */
  async run<Result>(provider: RequestedProvider, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await this.limit(provider.id, work);
      this.metrics?.recordProviderRequest('success');
      return result;
    } catch (thrown) {
      if (thrown instanceof GatehouseError) throw thrown;
      const { id: providerId, projectId } = provider;
      this.unreadable.report(thrown, { projectId, providerId });
      const { error, reason } = describeProviderFailure(thrown);
      this.logger.warn({ projectId, providerId, reason }, 'request to identity provider failed');
      this.metrics?.recordProviderRequest(error);
      throw providerError(error, thrown);
    }
  }

  private async limit<Result>(providerId: string, work: () => Promise<Result>): Promise<Result> {
    const count = this.inFlight.get(providerId) ?? 0;
    if (count >= MAX_IN_FLIGHT)
      throw new ServerUnavailableError(`${MAX_IN_FLIGHT} sign-ins are waiting for the provider`);
    this.inFlight.set(providerId, count + 1);
    const running = work().finally(() => this.release(providerId));
    // Prevents an unhandled rejection if the requests fail after the sign-in has stopped waiting.
    running.catch(() => undefined);
    const deadline = new Deadline(MAX_WAIT_MS);
    const expired = new Promise<never>((_, reject) => {
      const error = new ServerUnavailableError(`no result within ${MAX_WAIT_MS} ms`);
      deadline.signal.addEventListener('abort', () => reject(error), { once: true });
    });
    return Promise.race([running, expired]).finally(() => deadline.clear());
  }

  private release(providerId: string): void {
    const count = this.inFlight.get(providerId)! - 1;
    if (count > 0) this.inFlight.set(providerId, count);
    else this.inFlight.delete(providerId);
  }
}
