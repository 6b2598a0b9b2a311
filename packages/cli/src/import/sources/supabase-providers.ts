import { NO_OPENID, withReason } from '../unusable-providers.js';
import { reasons, type Reason } from '../reasons.js';

/** Supabase sign-in methods without an account elsewhere. */
export const ownProviders: ReadonlySet<string> = new Set(['email', 'phone', 'anonymous_users']);

/** The Supabase providers whose ids never match in Gatehouse. */
export const unusableProviders: Readonly<Record<string, Reason>> = {
  // Single sign-on in Supabase is SAML.
  sso: reasons.noSaml,
  ...withReason(NO_OPENID, ['bitbucket', 'facebook', 'figma', 'notion', 'spotify', 'twitter', 'x']),
};
