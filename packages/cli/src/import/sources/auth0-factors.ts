import { toObject, type JsonObject } from '../../json-object.js';
import { parseBoolean } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { toText, type CustomerDraft } from '../source-fields.js';
import { isEmpty, isSet, readObjectList, toTexts } from '../source-values.js';
import { unknown } from '../unknown-reasons.js';

/** A second factor. */
interface Factor {
  field: string;
  /** An authenticator app's secret; empty if there is none. */
  secret: string;
  /** The reason why a factor without a secret is left out. */
  problem: Reason;
}

/** Members that describe a factor and are not factors themselves. */
const DESCRIPTIONS = new Set([
  ...[
    'id',
    'type',
    'authenticator_type',
    'name',
    'status',
    'confirmed',
    'active',
    'algorithm',
    'digits',
    'period',
  ],
  ...['created_at', 'enrolled_at', 'last_auth', 'last_auth_at'],
]);

/** Values of `multifactor` for factors that other fields contain in detail. */
const LISTED_ELSEWHERE = new Set(['guardian', 'google-authenticator', 'totp', 'otp']);

/** Sets the first authenticator app, and reports all other second factors. */
export function convertFactors(draft: CustomerDraft, user: JsonObject): void {
  const factors = [...listFactors(draft, user), ...listAuthenticators(draft, user)];
  let first: string | null = null;
  for (const { field, secret, problem } of factors) {
    // Both fields can contain the same app.
    if (first !== null && (secret === first || problem === reasons.noSecret)) continue;
    if (secret === '') draft.leaveOut(field, problem);
    else if (first !== null) draft.leaveOut(field, reasons.oneApp);
    else if (draft.setTotpSecret(field, secret).hasTotpSecret) first = secret;
  }
  leaveOutMultifactor(draft, user['multifactor'], factors.length > 0);
  if (isSet(user['passkeys'])) draft.leaveOut('passkeys', reasons.auth0Passkeys);
}

/** Reports the factors in `multifactor`, which only lists their names, unless other fields contain them. */
function leaveOutMultifactor(draft: CustomerDraft, multifactor: unknown, hasFactors: boolean): void {
  if (!isSet(multifactor)) return;
  if (!hasFactors) draft.leaveOut('multifactor', reasons.noSecret);
  else
    for (const name of toTexts(multifactor))
      if (!LISTED_ELSEWHERE.has(name)) draft.leaveOut('multifactor', findProblem(name));
}

/** Returns the factors in `mfa_factors`, a field of the bulk import schema. */
function listFactors(draft: CustomerDraft, user: JsonObject): Factor[] {
  const field = 'mfa_factors';
  return readObjectList(draft, field, user[field]).flatMap((factor) => {
    if (!isConfirmed(draft, field, factor)) return [];
    const kinds = Object.keys(factor).filter((name) => !DESCRIPTIONS.has(name) && !isEmpty(factor[name]));
    if (kinds.length === 0) return [{ field, secret: '', problem: reasons.onlyTotp }];
    return kinds.map((kind) => {
      const isApp = kind === 'totp' || kind === 'otp';
      const app = isApp ? toObject(factor[kind]) : null;
      return withoutUnusableSecret(
        { field, secret: toText(app?.['secret']), problem: reasons.onlyTotp },
        factor,
        app,
      );
    });
  });
}

/**
 * Returns the factors in `guardian_authenticators`, a user's enrollments. Auth0 does not document their fields,
 * and usually does not export secrets.
 */
function listAuthenticators(draft: CustomerDraft, user: JsonObject): Factor[] {
  const field = 'guardian_authenticators';
  return readObjectList(draft, field, user[field])
    .filter((factor) => isConfirmed(draft, field, factor))
    .map((factor) => {
      const app = toObject(factor['totp'] ?? factor['otp']);
      const secret = toText(app?.['secret']) || toText(factor['secret']);
      const problem = findProblem(toText(factor['authenticator_type']) || toText(factor['type']));
      return withoutUnusableSecret({ field, secret, problem }, factor, app);
    });
}

/** Returns true if the user has confirmed an enrollment. Sign-ins never require an unconfirmed one. */
function isConfirmed(draft: CustomerDraft, field: string, factor: JsonObject): boolean {
  const flags = [parseBoolean(factor['confirmed']), parseBoolean(factor['active'])];
  if (flags.includes(null)) draft.leaveOut(field, unknown.boolean);
  return (
    !flags.includes(null) && !flags.includes(false) && !/pending|unconfirmed/i.test(toText(factor['status']))
  );
}

/** Returns the factor, without its secret if Gatehouse cannot verify its codes. */
function withoutUnusableSecret(factor: Factor, ...sources: (JsonObject | null)[]): Factor {
  const isOther = sources.some((source) => source !== null && !hasUsualParameters(source));
  return factor.secret !== '' && isOther
    ? { ...factor, secret: '', problem: reasons.totpParameters }
    : factor;
}

const hasUsualParameters = ({ algorithm, digits, period }: JsonObject): boolean =>
  (isEmpty(algorithm) || /^(hmac-?)?sha-?1$/i.test(toText(algorithm))) &&
  (isEmpty(digits) || toText(digits) === '6') &&
  (isEmpty(period) || toText(period) === '30');

function findProblem(type: string): Reason {
  if (/^(totp|otp|authenticator|google-authenticator)$/.test(type)) return reasons.noSecret;
  return type.startsWith('recovery') ? reasons.recoveryCodes : reasons.onlyTotp;
}
