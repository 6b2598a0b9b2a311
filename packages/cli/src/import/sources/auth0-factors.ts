import { toObject, type JsonObject } from '../../json-object.js';
import { reasons, type Reason } from '../reasons.js';
import { toText, type CustomerDraft } from '../source-fields.js';
import { isSet, readObjectList } from '../source-values.js';

/** A second factor. */
interface Factor {
  field: string;
  /** The secret of an authenticator app; empty if there is none. */
  secret: string;
  /** The reason why a factor without a secret is left out. */
  problem: Reason;
}

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
  if (isSet(user['multifactor']) && factors.length === 0) draft.leaveOut('multifactor', reasons.noSecret);
  if (isSet(user['passkeys'])) draft.leaveOut('passkeys', reasons.auth0Passkeys);
}

/** Returns the factors of `mfa_factors`, the field of the bulk import schema of Auth0. */
function listFactors(draft: CustomerDraft, user: JsonObject): Factor[] {
  return readObjectList(draft, 'mfa_factors', user['mfa_factors']).map((factor) => ({
    field: 'mfa_factors',
    secret: readSecret(factor),
    problem: reasons.onlyTotp,
  }));
}

/**
 * Returns the factors of `guardian_authenticators`, the enrollments of a user. Auth0 does not document their fields, and usually
 * exports no secrets. An enrollment that the user has not confirmed was never requested at a sign-in.
 */
function listAuthenticators(draft: CustomerDraft, user: JsonObject): Factor[] {
  const isConfirmed = ({ confirmed, active, status }: JsonObject) =>
    confirmed !== false && active !== false && !toText(status).includes('pending');
  return readObjectList(draft, 'guardian_authenticators', user['guardian_authenticators'])
    .filter(isConfirmed)
    .map((factor) => ({
      field: 'guardian_authenticators',
      secret: readSecret(factor) || toText(factor['secret']),
      problem: findProblem(toText(factor['authenticator_type']) || toText(factor['type'])),
    }));
}

function findProblem(type: string): Reason {
  if (/^(totp|otp|authenticator)$/.test(type)) return reasons.noSecret;
  return type.startsWith('recovery') ? reasons.recoveryCodes : reasons.onlyTotp;
}

/** Returns the secret of an entry such as `{ "totp": { "secret": "…" } }`, or an empty text. */
const readSecret = ({ totp, otp }: JsonObject): string => {
  return toText(toObject(totp ?? otp)?.['secret']);
};
