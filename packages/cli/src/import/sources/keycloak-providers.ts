import { toObject } from '../../json-object.js';
import { parseBoolean } from '../read-boolean.js';
import { readDocuments } from '../read-documents.js';
import { toText } from '../source-fields.js';
import type { ImportSource } from '../source.js';
import { findUnusableProvider } from '../unusable-providers.js';

/** An identity provider in a realm. */
interface RealmProvider {
  /** Keycloak's `providerId`, such as `saml`. */
  type: string;
  /** True if Keycloak takes its users' addresses as verified. Undefined if the file does not state it. */
  trustsEmail: boolean | undefined;
}

/** A realm's identity providers by their aliases. Files with users alone contain none. */
export type RealmProviders = ReadonlyMap<string, RealmProvider>;

/** The types of providers whose operator sets the addresses. */
const COMPANY_TYPES = new Set(['saml', 'oidc', 'keycloak-oidc']);

/** Returns the identity providers that realm files contain. @throws CliError */
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
 * Returns an identity provider's name for `--provider`: its alias. The alias follows the type, such as `saml:acme`, if
 * the type's ids never match, or if the alias is another type's name.
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

/**
 * Returns true if a company, which could name any address, sets the addresses of users with an account at a provider.
 */
export function setsAddress(alias: string, realm: RealmProviders): boolean {
  const { type = alias, trustsEmail } = realm.get(alias) ?? {};
  // Without the realm's providers, an alias can be a type.
  return trustsEmail === undefined ? type === 'saml' : trustsEmail && COMPANY_TYPES.has(type);
}
