import type { AccessTokenClaims } from './access-token-claims.js';
import { compileConditions, type AuthConditions } from './conditions.js';

const NOW = 1_800_000_000;

/** Returns 'accepted', or the methods from the error. */
function check(conditions: AuthConditions, claims: Partial<AccessTokenClaims>): string | string[] {
  try {
    compileConditions(conditions)(claims as AccessTokenClaims, NOW);
    return 'accepted';
  } catch (error) {
    expect(error).toMatchObject({ code: 'reauthentication_required', status: 403 });
    return (error as { methods: string[] }).methods;
  }
}

const secondFactors = ['totp', 'passkey', 'recovery_code'];
const anyMethod = ['password', 'email_code', ...secondFactors];
const withMfa = ['pwd', 'otp', 'mfa'];

it('requires mfa and recent authentication, and returns the methods that satisfy both', () => {
  const cases: [AuthConditions, Partial<AccessTokenClaims>, string | string[]][] = [
    [{}, {}, 'accepted'],
    [{ mfa: false }, { amr: ['pwd'] }, 'accepted'],
    [{ mfa: true }, { amr: withMfa }, 'accepted'],
    [{ mfa: true }, { amr: ['pwd'] }, secondFactors],
    [{ mfa: true }, {}, secondFactors],
    [{ mfa: true }, { amr: 'mfa' as never }, secondFactors],
    [{ maxAge: '10m' }, { auth_time: NOW - 600 }, 'accepted'],
    [{ maxAge: 600 }, { auth_time: NOW - 601 }, anyMethod],
    [{ maxAge: '10m' }, { auth_time: NOW - 601, amr: withMfa }, secondFactors],
    [{ maxAge: '10m' }, { auth_time: 0, amr: ['support'] }, anyMethod],
    [{ maxAge: '10m' }, {}, anyMethod],
    [{ maxAge: '10m' }, { auth_time: String(NOW) as never }, anyMethod],
    [{ mfa: true, maxAge: '10m' }, { auth_time: NOW, amr: ['pwd'] }, secondFactors],
    [{ mfa: true, maxAge: '10m' }, { auth_time: NOW - 601, amr: withMfa }, secondFactors],
    [{ mfa: true, maxAge: '10m' }, { auth_time: NOW, amr: withMfa }, 'accepted'],
  ];
  expect(cases.map(([conditions, claims]) => check(conditions, claims))).toEqual(
    cases.map(([, , result]) => result),
  );
});

it('rejects an invalid maxAge when the route is defined', () => {
  expect(() => compileConditions({ maxAge: '10 minutes' as '10m' })).toThrow(TypeError);
});
