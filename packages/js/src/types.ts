import type { components } from './openapi.js';

type Schemas = components['schemas'];

/** The tokens from a sign-in or a refresh. */
export type Tokens = Schemas['TokensResponse'];
/** The customer in a sign-in response. */
export type CustomerSummary = Schemas['CustomerSummary'];
/** The customer's own profile. */
export type Customer = Schemas['MeResponse'];
/** A customer's session. */
export type Session = Schemas['OwnSessionResponse'];
/** An authenticator app. */
export type Factor = Schemas['FactorResponse'];
/** All second factors that the customer has. */
export type Factors = Schemas['FactorsResponse'];
/** The secret for a new authenticator app, also as a URI and as an SVG image. */
export type TotpSecret = Schemas['TotpSecretResponse'];
/** An authenticator app that is not confirmed yet. */
export type NewTotpFactor = Schemas['NewTotpFactorResponse'];
/** A customer's passkey. */
export type Passkey = Schemas['PasskeyResponse'];
/** A passkey that was added. `recoveryCodes` is null unless it is the first second factor. */
export type AddedPasskey = Schemas['AddedPasskeyResponse'];
/** An identity provider account that the customer can sign in with. */
export type Identity = Schemas['IdentityResponse'];
/** A step that a sign-in still requires. */
export type Challenge = Schemas['ChallengeResponse'];
/** The methods that a sign-in page should offer. */
export type SignInOptions = Schemas['SignInOptionsResponse'];
/** The methods that a sign-in page should offer for an email address. */
export type EmailSignInOptions = Schemas['EmailSignInOptionsResponse'];
/** The registration fields. */
export type SignUpFields = Schemas['RegisterRequest'];
/** The fields that customers can change. */
export type CustomerChanges = Schemas['UpdateMeRequest'];
/** The response from every route that signs customers in. */
export type AuthResponse = Schemas['AuthResponse'] & { recoveryCodes?: string[] | null };
/** The refresh response. */
export type RefreshResponse = Schemas['RefreshResponse'];
/** The customer whose email address was verified. */
export type VerifiedEmail = Schemas['VerifyEmailResponse'];
/** An email address change. It stays pending until both addresses are confirmed. */
export type EmailChange = Schemas['EmailChangeResponse'];
/** A new access token after a reauthentication. */
export type AccessTokenResponse = Schemas['AccessTokenResponse'];

/** The result of a sign-in. */
export type SignInResult =
  | { status: 'complete'; customer: CustomerSummary; recoveryCodes?: string[] }
  | { status: 'second_factor'; challenge: Challenge }
  | { status: 'enroll_factor'; challenge: Challenge }
  | { status: 'verify_email'; customer?: CustomerSummary };

/** The result of a flow that ended with a redirect. */
export type RedirectResult =
  | SignInResult
  | { status: 'linked'; identity: Identity }
  | { status: 'reauthenticated' };

/** The customer's authentication state. */
export type AuthState =
  | { status: 'signed_in'; customer: CustomerSummary; sessionId: string }
  | {
      status: 'signed_out';
      customer: null;
      /** The error code that ended the session, such as `refresh_token_expired`. Undefined after a sign-out. */
      reason?: string;
    };
