import { getDomain } from 'tldts';
import { canonicalEmail } from '../customers/email.js';

/** An email domain that belongs to the organization behind a provider, once a DNS record proves it. */
export interface ProviderDomain {
  providerId: string;
  projectId: string;
  /** In canonical form, as in email addresses. */
  domain: string;
  /** The record's content. It is public. */
  token: string;
  /** Null as long as the domain has no effect. */
  verifiedAt: Date | null;
  /** The last lookup's time, or null. */
  checkedAt: Date | null;
  /** The time since which a verified domain's record is missing, or null. */
  failingSince: Date | null;
}

/** Maximum domains per provider. */
export const MAX_PROVIDER_DOMAINS = 50;

/** Days for which a verified domain stays verified without its record. */
export const DOMAIN_GRACE_DAYS = 7;

/**
 * Maximum days between two lookups for which the later lookup continues a failure. Domains are looked up once a day.
 */
const MAX_CHECK_GAP_DAYS = 2;

const DAY_MS = 86_400_000;
const RECORD_LABEL = '_gatehouse-challenge';
const RECORD_PREFIX = 'gatehouse-domain-verification=';
const MAX_NAME_LENGTH = 253;

/** A DNS record that proves who controls a domain. */
export interface DomainRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** The possible findings of a lookup. */
export const domainFindings = ['verified', 'no_record', 'other_value', 'dns_error'] as const;
export type DomainFinding = (typeof domainFindings)[number];

/** Returns the record that proves a domain. */
export const domainRecord = ({ domain, token }: Pick<ProviderDomain, 'domain' | 'token'>): DomainRecord => ({
  type: 'TXT',
  name: `${RECORD_LABEL}.${domain}`,
  value: `${RECORD_PREFIX}${token}`,
});

/**
 * Returns an email domain in canonical form, as `canonicalEmail` writes it. Returns null for any other string, for a
 * single label, and for a public suffix, below which everyone can register a domain.
 */
export function canonicalDomain(input: string): string | null {
  const domain = canonicalEmail(`a@${input.trim()}`)?.slice(2) ?? null;
  if (domain === null || `${RECORD_LABEL}.${domain}`.length > MAX_NAME_LENGTH) return null;
  return getDomain(domain, { allowPrivateDomains: true }) === null ? null : domain;
}

/** Returns what the TXT records at a record's name prove. */
export function evaluateRecords(record: DomainRecord, texts: string[]): DomainFinding {
  if (texts.length === 0) return 'no_record';
  return texts.some((text) => text.trim() === record.value) ? 'verified' : 'other_value';
}

/**
 * Returns a domain's state after a lookup. A DNS error proves nothing. A missing record takes effect after some days: a
 * mistake in a zone must not change how customers sign in, and a domain that was given up must not keep control over
 * their accounts. If no worker has looked the domain up in between, the failure begins again: the record may have been
 * there.
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
