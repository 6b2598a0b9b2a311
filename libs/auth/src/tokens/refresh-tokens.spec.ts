import { Keyring, sha256 } from '@gatehouse/platform';
import { RefreshTokens, type ParsedRefreshToken } from './refresh-tokens.js';

const secret = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const newer = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';
const sessionId = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const tokens = new RefreshTokens(new Keyring([secret]));

const parsed = (token: string): ParsedRefreshToken => {
  const result = tokens.parse(token);
  if (!result) throw new Error('the token was rejected');
  return result;
};

describe('RefreshTokens', () => {
  it('TK-05: issues a first token with the session, generation 1 and a random 256-bit secret', () => {
    const { token, hash } = tokens.issueFirst(sessionId);
    expect(token).toMatch(/^rt_[\w-]+$/);
    const { secret: bits, ...rest } = parsed(token);
    expect(rest).toEqual({ sessionId, generation: 1, hash });
    expect(bits).toHaveLength(32);
    expect(hash).toEqual(sha256(bits));
    expect(tokens.issueFirst(sessionId).token).not.toBe(token);
  });

  it('TK-09: always returns the same successor for a token', () => {
    const first = parsed(tokens.issueFirst(sessionId).token);
    const successor = tokens.issueSuccessor(first);
    expect(tokens.issueSuccessor(first)).toEqual(successor);
    expect(new RefreshTokens(new Keyring([secret])).issueSuccessor(first)).toEqual(successor);
    expect(parsed(successor.token)).toMatchObject({ sessionId, generation: 2, hash: successor.hash });
  });

  it('TK-06: derives a separate secret for every generation', () => {
    const hashes = new Set<string>();
    let current = parsed(tokens.issueFirst(sessionId).token);
    for (let generation = 1; generation <= 50; generation += 1) {
      expect(current.generation).toBe(generation);
      hashes.add(current.hash.toString('hex'));
      current = parsed(tokens.issueSuccessor(current).token);
    }
    expect(hashes.size).toBe(50);
  });

  it('TK-06: returns different successors for two sessions with the same secret', () => {
    const parent = parsed(tokens.issueFirst(sessionId).token);
    const other = tokens.issueSuccessor({ ...parent, sessionId: sessionId.replace('2b', '2c') });
    expect(other.hash.equals(tokens.issueSuccessor(parent).hash)).toBe(false);
  });

  it('TK-03, TK-07: rejects modified tokens and other strings', () => {
    const { token } = tokens.issueFirst(sessionId);
    const changed = [...token].map(
      (character, index) => token.slice(0, index) + (character === 'A' ? 'B' : 'A') + token.slice(index + 1),
    );
    const prefixes = ['', 'rt_', token.slice(3), `sk_${token.slice(3)}`];
    const lengths = [token.slice(0, -1), `${token}A`, `${token}=`, `${token} `];
    const base64 = `rt_${Buffer.from(token.slice(3), 'base64url').toString('base64')}`;
    const others = [
      `${token.slice(0, 20)}\n${token.slice(20)}`,
      base64,
      'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA',
    ];
    const forged = [`rt_${'A'.repeat(1_000_000)}`, `rt_${Buffer.alloc(68, 7).toString('base64url')}`];
    const strings = [...changed, ...prefixes, ...lengths, ...others, ...forged];
    expect(strings.filter((value) => tokens.parse(value) !== null)).toEqual([]);
  });

  it('CF-04: accepts tokens while their root secret stays in the keyring', () => {
    const { token, hash } = tokens.issueFirst(sessionId);
    expect(new RefreshTokens(new Keyring([newer, secret])).parse(token)).toMatchObject({ sessionId, hash });
    expect(new RefreshTokens(new Keyring([newer])).parse(token)).toBeNull();
  });
});
