import { NO_OPENID, withReason } from '../unusable-providers.js';
import { reasons, type Reason } from '../reasons.js';

/** Supabase's own methods, which are no accounts elsewhere. */
export const ownProviders: ReadonlySet<string> = new Set(['email', 'phone', 'anonymous_users']);

/** The Supabase providers whose ids never match an account at Gatehouse. */
export const unusableProviders: Readonly<Record<string, Reason>> = {
  // Supabase's single sign-on is SAML.
  sso: reasons.noSaml,
  ...withReason(NO_OPENID, ['bitbucket', 'facebook', 'figma', 'notion', 'spotify', 'twitter', 'x']),
};
