import type { Logger } from '../logging/logger.js';
import { Metrics } from './metrics.js';
import { Keyring } from '../crypto/keyring.js';
import { UnreadableValues } from './unreadable-values.js';

const lost = new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']);
const keyring = new Keyring(['Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0']);

describe('UnreadableValues', () => {
  it('returns null if the secret of a value is missing, and counts and logs it with ids only', async () => {
    const metrics = await Metrics.load();
    const lines: unknown[] = [];
    const logger = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
    const unreadable = new UnreadableValues(metrics, logger);
    const read = (sealed: Buffer) =>
      unreadable.readOrNull({ ownerId: 'o1' }, () => keyring.decrypt('totp-secret', 'o1', sealed));
    expect(read(keyring.encrypt('totp-secret', 'o1', 'plain'))).toBe('plain');
    expect(lines).toEqual([]);
    expect(read(lost.encrypt('totp-secret', 'o1', 'plain'))).toBeNull();
    const reason = `no entry of GATEHOUSE_SECRET has the id ${lost.listKids()[0]}`;
    expect(lines).toEqual([[{ ownerId: 'o1', purpose: 'totp-secret', reason }, 'stored value unreadable']]);
    const series = (await metrics.render()).split('\n').filter((line) => line.startsWith('gatehouse_'));
    expect(series).toContain('gatehouse_unreadable_values_total{purpose="totp-secret"} 1');
    expect(series).toContain('gatehouse_unreadable_values_total{purpose="password-pepper"} 0');
  });

  it('rethrows an error with another cause', () => {
    const fail = () => {
      throw new Error('another cause');
    };
    expect(() => new UnreadableValues(null, null as never).readOrNull({}, fail)).toThrow('another cause');
  });
});
