import { Keyring, sha256 } from '#platform';
import { RefreshTokens, type ParsedRefreshToken } from './refresh-tokens.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newer = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const sessionId = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const tokens = new RefreshTokens(new Keyring([secret]));

const parsed = (token: string): ParsedRefreshToken => {
  const result = tokens.parse(token);
  if (!result) throw new Error('the token was not accepted');
  return result;
};

describe('RefreshTokens', () => {
  it('TK-05: a first token names its session, is generation 1 and holds 256 random bits', () => {
    const { token, hash } = tokens.first(sessionId);
    expect(token).toMatch(/^rt_[\w-]+$/);
    const { secret: bits, ...rest } = parsed(token);
    expect(rest).toEqual({ sessionId, generation: 1, hash });
    expect(bits).toHaveLength(32);
    expect(tokens.first(sessionId).token).not.toBe(token);
  });

  it('TK-05: what is stored is the SHA-256 of the secret', () => {
    const { token, hash } = tokens.first(sessionId);
    expect(hash).toHaveLength(32);
    expect(hash.equals(sha256(parsed(token).secret))).toBe(true);
  });

  it('TK-09: the successor of a token is always the same one', () => {
    const first = parsed(tokens.first(sessionId).token);
    const successor = tokens.successor(first);
    expect(tokens.successor(first)).toEqual(successor);
    expect(new RefreshTokens(new Keyring([secret])).successor(first)).toEqual(successor);
    expect(parsed(successor.token)).toMatchObject({ sessionId, generation: 2, hash: successor.hash });
  });

  it('TK-06: every generation has a secret of its own', () => {
    const hashes = new Set<string>();
    let current = parsed(tokens.first(sessionId).token);
    for (let generation = 1; generation <= 50; generation += 1) {
      expect(current.generation).toBe(generation);
      hashes.add(current.hash.toString('hex'));
      current = parsed(tokens.successor(current).token);
    }
    expect(hashes.size).toBe(50);
  });

  it('TK-06: two sessions with the same secret go different ways', () => {
    const mine = parsed(tokens.first(sessionId).token);
    const other = tokens.successor({ ...mine, sessionId: sessionId.replace('2b', '2c') });
    expect(other.hash.equals(tokens.successor(mine).hash)).toBe(false);
  });

  it('TK-07: no changed character goes unnoticed', () => {
    const { token } = tokens.first(sessionId);
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'A' ? 'B' : 'A';
      expect(tokens.parse(token.slice(0, index) + other + token.slice(index + 1))).toBeNull();
    }
  });

  it.each([
    ['nothing', () => ''],
    ['the prefix alone', () => 'rt_'],
    ['no prefix', (token: string) => token.slice(3)],
    ['another prefix', (token: string) => `sk_${token.slice(3)}`],
    ['one character less', (token: string) => token.slice(0, -1)],
    ['one character more', (token: string) => `${token}A`],
    ['padding', (token: string) => `${token}=`],
    ['a blank at the end', (token: string) => `${token} `],
    ['a line feed inside', (token: string) => `${token.slice(0, 20)}\n${token.slice(20)}`],
    [
      'the other base64 alphabet',
      (token: string) => `rt_${Buffer.from(token.slice(3), 'base64url').toString('base64')}`,
    ],
    ['an access token', () => 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA'],
    ['a megabyte', () => `rt_${'A'.repeat(1_000_000)}`],
    ['the right length with a made-up MAC', () => `rt_${Buffer.alloc(68, 7).toString('base64url')}`],
  ])('TK-03: refuses %s', (_, change) => {
    expect(tokens.parse(change(tokens.first(sessionId).token))).toBeNull();
  });

  it('CF-04: tokens outlive a new secret in front of the ring, and die with their own', () => {
    const { token, hash } = tokens.first(sessionId);
    expect(new RefreshTokens(new Keyring([newer, secret])).parse(token)).toMatchObject({ sessionId, hash });
    expect(new RefreshTokens(new Keyring([newer])).parse(token)).toBeNull();
  });
});
