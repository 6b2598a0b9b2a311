import type {
  IdempotencyKeysRepository,
  LoginAttemptsRepository,
  MailsRepository,
  OneTimeTokensRepository,
  SessionsRepository,
  Transactions,
} from '#persistence';
import { createLogger } from '#platform';
import { Housekeeper } from './housekeeper.js';

describe('Housekeeper', () => {
  it('has stopped only when the statement under way has ended, and begins no other', async () => {
    const told: string[] = [];
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const tries = { prune: () => ended.then(() => void told.push('pruned')) };
    const other = { prune: async () => void told.push('another') };
    const keeper = new Housekeeper(
      { run: async () => undefined } as unknown as Transactions,
      tries as unknown as LoginAttemptsRepository,
      other as unknown as IdempotencyKeysRepository,
      other as unknown as SessionsRepository,
      other as unknown as OneTimeTokensRepository,
      other as unknown as MailsRepository,
      createLogger({ logLevel: 'silent' }, 'test'),
    );
    await keeper.start();
    const stopped = keeper.stop().then(() => told.push('stopped'));
    setImmediate(end);
    await stopped;
    expect(told).toEqual(['pruned', 'stopped']);
  });
});
