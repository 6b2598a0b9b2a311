import { GatehouseError } from '@gatehouse/domain';
import { ServerUnavailableError, UnreadableValues, type ApiMetrics, type Logger } from '@gatehouse/platform';
import { ProviderRequestsService } from './provider-requests.service.js';

describe('ProviderRequestsService', () => {
  it('counts the result of each sign-in unless the project rejects it', async () => {
    const results: string[] = [];
    const metrics = { recordProviderRequest: (result: string) => results.push(result) };
    const logger = { warn: () => undefined } as unknown as Logger;
    const unreadable = new UnreadableValues(null, logger);
    const service = new ProviderRequestsService(metrics as unknown as ApiMetrics, unreadable, logger);
    const provider = { id: 'provider', projectId: null };
    const failWith = (error: Error) =>
      service.run(provider, () => Promise.reject(error)).catch(() => undefined);
    await service.run(provider, () => Promise.resolve());
    await failWith(new ServerUnavailableError('connection refused'));
    await failWith(new Error('invalid_client'));
    // This error is not counted, because the provider is not the cause.
    await failWith(new GatehouseError('method_not_enabled'));
    expect(results).toEqual(['success', 'provider_unavailable', 'sign_in_failed']);
  });
});
