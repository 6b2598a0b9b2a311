import { usageError, type CliError } from '../cli-error.js';
import { reasons, type Reason } from './reasons.js';

const { remedy } = reasons.noSaml;

/** The reason for identities with ids that Gatehouse never receives. */
export const OTHER_IDS: Reason = {
  reason: 'The other system does not store the sub claim, which Gatehouse compares',
  remedy,
};

/** The reason for identities from providers that Gatehouse cannot use. */
export const NO_OPENID: Reason = {
  reason: 'The provider does not support OpenID Connect, which Gatehouse requires',
  remedy,
};

/** Social providers without OpenID Connect, with the names that most systems use. */
export const SOCIAL_WITHOUT_OPENID = [
  ...['bitbucket', 'facebook', 'figma', 'instagram', 'notion', 'reddit', 'spotify', 'tiktok', 'twitter', 'x'],
];

/** Returns an object with the same reason for each name. */
export const withReason = (reason: Reason, names: readonly string[]): Record<string, Reason> =>
  Object.fromEntries(names.map((name) => [name, reason]));

/**
 * Returns the reason why a provider's identities never match in Gatehouse, or null. An entry `saml` also applies to
 * `saml:acme` and `saml.acme`.
 */
export function findUnusableProvider(
  unusableProviders: Readonly<Record<string, Reason>>,
  name: string,
): Reason | null {
  const [prefix = ''] = name.split(/[.:]/, 1);
  for (const key of [name, prefix]) if (Object.hasOwn(unusableProviders, key)) return unusableProviders[key]!;
  return null;
}

/** Returns the error for a `--provider` option with such a provider. */
export const unusableProviderError = (name: string, { reason, remedy: fix }: Reason): CliError =>
  usageError(
    `Identities of ${name} cannot be imported. ${reason}.`,
    `Leave out --provider ${name}=<slug>. ${fix}.`,
  );
