import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@gatehouse/platform';
import type { ProtocolProvider } from '../identity-protocol.js';
import { describeProviderFailure } from '../provider-failure.js';

/** Sends optional requests: a sign-in continues even if they fail (ADR 0097). */
@Injectable()
export class OptionalRequestsService {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Returns an object that runs optional requests to a provider. A failed request yields null. */
  forProvider({ id: providerId, projectId }: ProtocolProvider): OptionalRequests {
    let isUnavailable = false;
    return {
      run: (request) =>
        request().catch((thrown: unknown) => {
          const { error, reason } = describeProviderFailure(thrown);
          this.logger.warn({ projectId, providerId, reason }, 'optional request to identity provider failed');
          isUnavailable ||= error === 'provider_unavailable';
          return null;
        }),
      get wasUnavailable() {
        return isUnavailable;
      },
    };
  }
}

export interface OptionalRequests {
  run<Result>(request: () => Promise<Result>): Promise<Result | null>;
  /** True if the provider did not respond to a request. */
  readonly wasUnavailable: boolean;
}
