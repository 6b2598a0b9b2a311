import { NO_OPENID, withReason } from '../unusable-providers.js';
import { reasons, type Reason } from '../reasons.js';

/** The methods of Supabase itself, which are no accounts elsewhere. */
export const ownProviders: ReadonlySet<string> = new Set(['email', 'phone', 'anonymous_users']);

/** The providers of Supabase whose ids never match an account at Gatehouse. */
export const unusableProviders: Readonly<Record<string, Reason>> = {
  // The single sign-on of Supabase is SAML.
  sso: reasons.noSaml,
  ...withReason(NO_OPENID, ['bitbucket', 'facebook', 'figma', 'notion', 'spotify', 'twitter', 'x']),
};
