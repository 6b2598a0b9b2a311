import { toObject } from '../../json-object.js';
import { parseBoolean } from '../read-boolean.js';
import { readDocuments } from '../read-documents.js';
import { toText } from '../source-fields.js';
import type { ImportSource } from '../source.js';
import { findUnusableProvider } from '../unusable-providers.js';

/** An identity provider of a realm. */
interface RealmProvider {
  /** The `providerId` in Keycloak, such as `saml`. */
  type: string;
  /**
   * True if Keycloak treats the email addresses from the provider as verified; undefined if the file does not state it.
   */
  trustsEmail: boolean | undefined;
}

/** The identity providers of a realm, by alias. Files with only users contain none. */
export type RealmProviders = ReadonlyMap<string, RealmProvider>;

/** The types of providers whose operator sets the email addresses of users. */
const COMPANY_TYPES = new Set(['saml', 'oidc', 'keycloak-oidc']);

/** Returns the identity providers in realm files. @throws CliError */
export async function readProviders(files: readonly string[]): Promise<RealmProviders> {
  const providers = new Map<string, RealmProvider>();
  for (const file of files)
    for await (const { value } of readDocuments(file, ['$.identityProviders.*'])) {
      const { alias, providerId, trustEmail } = toObject(value) ?? {};
      if (toText(alias) === '' || toText(providerId) === '') continue;
      providers.set(toText(alias), {
        type: toText(providerId),
        trustsEmail: parseBoolean(trustEmail) ?? undefined,
      });
    }
  return providers;
}

/**
 * Returns the name of an identity provider for `--provider`: its alias. It is prefixed with the type, as in
 * `saml:acme`, if the ids of this type never match, or if the alias is the name of another type.
 */
export function nameProvider(
  alias: string,
  realm: RealmProviders,
  { providers, unusableProviders = {} }: ImportSource,
): string {
  const type = realm.get(alias)?.type;
  if (type === undefined || type === alias) return alias;
  const isOtherType = Object.hasOwn(providers, alias) || findUnusableProvider(unusableProviders, alias);
  return isOtherType || findUnusableProvider(unusableProviders, type) ? `${type}:${alias}` : alias;
}

/** Returns true if the email addresses of a provider's users are set by a company, which could set any address. */
export function setsAddress(alias: string, realm: RealmProviders): boolean {
  const { type = alias, trustsEmail } = realm.get(alias) ?? {};
  // If the files do not contain the provider, its alias may be its type.
  return trustsEmail === undefined ? type === 'saml' : trustsEmail && COMPANY_TYPES.has(type);
}
