import { domainRecord, evaluateRecords, type DomainFinding, type ProviderDomain } from '@gatehouse/domain';
import type { Config } from '../config/config.js';
import { errorMessage } from '../runtime/errors.js';
import { TxtResolver } from './txt-resolver.js';

const TIMEOUT_MS = 5_000;

export interface LookedUpDomain {
  finding: DomainFinding;
  /** The reason for a DNS error, for the log; otherwise null. */
  reason: string | null;
}

/** Looks up the DNS records that verify domains, with the name servers for outbound requests. */
export class DomainLookup {
  private readonly resolver: TxtResolver;

  constructor({ webhooks }: Pick<Config, 'webhooks'>) {
    this.resolver = new TxtResolver(webhooks.dnsServers, TIMEOUT_MS);
  }

  async find(domain: Pick<ProviderDomain, 'domain' | 'token'>): Promise<LookedUpDomain> {
    const record = domainRecord(domain);
    try {
      const texts = await this.resolver.resolve(record.name);
      return { finding: evaluateRecords(record, texts), reason: null };
    } catch (error) {
      return { finding: 'dns_error', reason: errorMessage(error) };
    }
  }
}
