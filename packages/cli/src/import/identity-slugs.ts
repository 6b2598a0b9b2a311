import { toObject } from '../json-object.js';
import { unusableProviderError, findUnusableProvider } from './unusable-providers.js';
import { reasons, type Reason } from './reasons.js';
import type { SourceRecord } from './source.js';

/** An identity provider in the project. */
export interface Provider {
  slug: string;
  type: string;
}

export interface IdentitySlugsOptions {
  /** True to keep names without a mapping, because they are slugs already. Default: false. */
  keepsNames?: boolean;
  /** The reasons why the identities of some providers never match, by name in the other system. */
  unusableProviders?: Readonly<Record<string, Reason>>;
  /** The names that the user passed with `--provider`. */
  passedNames?: ReadonlySet<string>;
}

/** Replaces identity provider names in records with the slugs in the project. */
export class IdentitySlugs {
  /** The types of the providers whose identities were found. */
  readonly usedTypes = new Set<string>();
  private readonly types: ReadonlyMap<string, string> | null;

  /**
   * @param slugs the slugs, by name in the other system
   * @param providers the project's providers; null if they are unknown, so that the server checks the slugs
   */
  constructor(
    private readonly slugs: ReadonlyMap<string, string>,
    providers: readonly Provider[] | null,
    private readonly options: IdentitySlugsOptions = {},
  ) {
    this.types = providers && new Map(providers.map(({ slug, type }) => [slug, type]));
  }

  /** Returns the settings on which the lines of an import depend. */
  get fingerprint(): unknown {
    return [[...this.slugs].sort(), this.types && [...this.types.keys()].sort()];
  }

  /**
   * Resolves the providers of a record's identities. Identities that never match, or whose provider does not exist, are
   * left out.
   * @throws CliError if the user passed `--provider` for an identity that never matches
   */
  resolve(record: SourceRecord): SourceRecord {
    const identities = record.customer?.identities;
    if (!record.customer || !Array.isArray(identities) || identities.length === 0) return record;
    // In Gatehouse's own format, the server reports malformed identities.
    if (!identities.every((identity) => typeof toObject(identity)?.['provider'] === 'string')) return record;
    const found: typeof identities = [];
    const leftOut = [...record.leftOut];
    for (const identity of identities) {
      const { provider } = identity;
      const slug = this.slugs.get(provider) ?? (this.options.keepsNames ? provider : undefined);
      const reason = this.findUnusable(provider);
      if (reason) leftOut.push({ field: `identity ${provider}`, ...reason });
      else if (slug === undefined)
        leftOut.push({ field: `identity ${provider}`, ...reasons.unknownProvider });
      else if (this.types && !this.types.has(slug))
        leftOut.push({
          field: `identity ${provider}`,
          reason: `The project has no identity provider "${slug}"`,
          remedy: 'Create the provider, and run the command again',
        });
      else {
        found.push({ ...identity, provider: slug });
        this.usedTypes.add(this.types?.get(slug) ?? slug);
      }
    }
    const { identities: _, ...customer } = record.customer;
    return {
      ...record,
      customer: found.length > 0 ? { ...customer, identities: found } : customer,
      leftOut,
    };
  }

  private findUnusable(provider: string): Reason | null {
    const { unusableProviders = {}, passedNames } = this.options;
    const reason = findUnusableProvider(unusableProviders, provider);
    const connection = provider.slice(provider.indexOf(':') + 1);
    if (reason && passedNames?.has(connection)) throw unusableProviderError(connection, reason);
    return reason;
  }
}
