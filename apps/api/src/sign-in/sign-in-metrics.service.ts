import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type ErrorCode } from '@gatehouse/domain';
import { ApiMetrics, type LoginMethod, type LoginResult } from '@gatehouse/platform';
import type { AuthResponse } from './dto/auth.response.js';

/**
 * Maps error codes to the results that they are counted as. Other client errors are counted as `refused`, and
 * everything else as `error`.
 */
const rejectionResults: Partial<Record<ErrorCode, LoginResult>> = {
  invalid_credentials: 'invalid',
  invalid_code: 'invalid',
  invalid_token: 'invalid',
  passkey_not_accepted: 'invalid',
  sign_in_failed: 'invalid',
  challenge_expired: 'invalid',
  too_many_attempts: 'throttled',
  customer_disabled: 'disabled',
  email_not_verified: 'unverified',
  method_not_enabled: 'refused',
  sign_up_not_allowed: 'refused',
  overloaded: 'overloaded',
  request_timeout: 'aborted',
};

/** Counts sign-ins in the metrics. */
@Injectable()
export class SignInMetricsService {
  constructor(@Inject(ApiMetrics) private readonly metrics: ApiMetrics | null) {}

  /** Runs one step of a sign-in (the only step or the second one), and counts its result. */
  async count<Response extends AuthResponse>(
    method: LoginMethod,
    step: () => Promise<Response>,
  ): Promise<Response> {
    try {
      const response = await step();
      this.metrics?.recordLogin(method, response.challenge ? 'challenged' : 'success');
      return response;
    } catch (error) {
      this.metrics?.recordLogin(method, toLoginResult(error));
      throw error;
    }
  }
}

function toLoginResult(error: unknown): LoginResult {
  if (!(error instanceof GatehouseError)) return 'error';
  return rejectionResults[error.code] ?? (error.status < 500 ? 'refused' : 'error');
}
