import { getDomain } from 'tldts';
import { canonicalEmail } from '../customers/email.js';

/** An email domain of the organization that runs a provider. It takes effect once a DNS record has verified it. */
export interface ProviderDomain {
  providerId: string;
  projectId: string;
  /** In the canonical form of email addresses. */
  domain: string;
  /** The token in the DNS record. It is public. */
  token: string;
  /** Null if the domain is not verified, and thus has no effect. */
  verifiedAt: Date | null;
  /** The last lookup time, or null. */
  checkedAt: Date | null;
  /** The time since which a verified domain's record has been missing, or null. */
  failingSince: Date | null;
}

/** Maximum domains per provider. */
export const MAX_PROVIDER_DOMAINS = 50;

/** How many days a domain stays verified without its record. */
export const DOMAIN_GRACE_DAYS = 7;

/**
 * Maximum number of days between two failed lookups that count as one continuous failure. Domains are looked up once
 * a day.
 */
const MAX_CHECK_GAP_DAYS = 2;

const DAY_MS = 86_400_000;
const RECORD_LABEL = '_gatehouse-challenge';
const RECORD_PREFIX = 'gatehouse-domain-verification=';
const MAX_NAME_LENGTH = 253;

/** A DNS record that proves control of a domain. */
export interface DomainRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** The possible lookup results. */
export const domainFindings = ['verified', 'no_record', 'other_value', 'dns_error'] as const;
export type DomainFinding = (typeof domainFindings)[number];

/** Returns the record that verifies a domain. */
export const domainRecord = ({ domain, token }: Pick<ProviderDomain, 'domain' | 'token'>): DomainRecord => ({
  type: 'TXT',
  name: `${RECORD_LABEL}.${domain}`,
  value: `${RECORD_PREFIX}${token}`,
});

/**
 * Returns an email domain in the canonical form of `canonicalEmail`. Returns null for any other string, for a single
 * label, and for a public suffix, under which anyone can register a domain.
 */
export function canonicalDomain(input: string): string | null {
  const domain = canonicalEmail(`a@${input.trim()}`)?.slice(2) ?? null;
  if (domain === null || `${RECORD_LABEL}.${domain}`.length > MAX_NAME_LENGTH) return null;
  return getDomain(domain, { allowPrivateDomains: true }) === null ? null : domain;
}

/** Returns the result for the TXT records that a lookup returned. */
export function evaluateRecords(record: DomainRecord, texts: string[]): DomainFinding {
  if (texts.length === 0) return 'no_record';
  return texts.some((text) => text.trim() === record.value) ? 'verified' : 'other_value';
}

/**
 * Returns a domain's state after a lookup. A DNS error does not change it. A missing record takes effect only after
 * several days: a mistake in a zone must not change how customers sign in, but an abandoned domain must not keep
 * control over their accounts. If the previous lookup was too long ago, for example because no worker was running, the
 * failure period starts over, because the record may have been present in between.
 */
export function decideDomain(
  before: Pick<ProviderDomain, 'verifiedAt' | 'failingSince' | 'checkedAt'>,
  finding: DomainFinding,
  time: Date,
): Pick<ProviderDomain, 'verifiedAt' | 'failingSince'> {
  const { verifiedAt, failingSince, checkedAt } = before;
  if (finding === 'dns_error') return { verifiedAt, failingSince };
  if (finding === 'verified') return { verifiedAt: verifiedAt ?? time, failingSince: null };
  if (!verifiedAt) return { verifiedAt: null, failingSince: null };
  const daysSince = (start: Date): number => (time.getTime() - start.getTime()) / DAY_MS;
  const isContinued = checkedAt !== null && daysSince(checkedAt) <= MAX_CHECK_GAP_DAYS;
  const since = failingSince && isContinued ? failingSince : time;
  const isLapsed = daysSince(since) >= DOMAIN_GRACE_DAYS;
  return isLapsed ? { verifiedAt: null, failingSince: null } : { verifiedAt, failingSince: since };
}
