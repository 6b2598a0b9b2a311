import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type ErrorCode } from '@gatehouse/domain';
import { ApiMetrics, type LoginMethod, type LoginResult } from '@gatehouse/platform';
import type { AuthResponse } from './dto/auth.response.js';

/** Result with which each error code is counted. All other errors are counted as `error`. */
const refusalResults: Partial<Record<ErrorCode, LoginResult>> = {
  invalid_credentials: 'invalid',
  invalid_code: 'invalid',
  invalid_token: 'invalid',
  passkey_not_accepted: 'invalid',
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

  /** Runs one step of a sign-in, the only or the second one, and counts its result. */
  async count<Response extends AuthResponse>(
    method: LoginMethod,
    step: () => Promise<Response>,
  ): Promise<Response> {
    try {
      const response = await step();
      this.metrics?.recordLogin(method, response.challenge ? 'challenged' : 'success');
      return response;
    } catch (error) {
      const result = error instanceof GatehouseError ? refusalResults[error.code] : undefined;
      this.metrics?.recordLogin(method, result ?? 'error');
      throw error;
    }
  }
}
