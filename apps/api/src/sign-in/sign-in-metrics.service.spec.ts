import { GatehouseError, type ErrorCode } from '@gatehouse/domain';
import type { ApiMetrics } from '@gatehouse/platform';
import type { AuthResponse } from './dto/auth.response.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';

/** Counts a step that fails with the error, and returns the counted result. */
async function countFailure(error: Error): Promise<string | undefined> {
  let counted: string | undefined;
  const metrics = { recordLogin: (_: string, result: string) => (counted = result) };
  const step = () => Promise.reject<AuthResponse>(error);
  await expect(
    new SignInMetricsService(metrics as unknown as ApiMetrics).count('id_token', step),
  ).rejects.toBe(error);
  return counted;
}

describe('SignInMetricsService', () => {
  it.each<[ErrorCode, string]>([
    ['invalid_credentials', 'invalid'],
    ['sign_in_failed', 'invalid'],
    ['account_exists', 'refused'],
    ['validation_failed', 'refused'],
    ['overloaded', 'overloaded'],
    ['provider_unavailable', 'error'],
    ['unavailable', 'error'],
  ])('counts %s as %s', async (code, result) => {
    expect(await countFailure(new GatehouseError(code))).toBe(result);
  });

  it('counts an unexpected exception with the result error', async () => {
    expect(await countFailure(new Error('broken'))).toBe('error');
  });
});
