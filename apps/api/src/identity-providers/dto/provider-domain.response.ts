import { ApiProperty } from '@nestjs/swagger';
import {
  domainFindings,
  domainRecord,
  type DomainFinding,
  type DomainRecord,
  type ProviderDomain,
} from '@gatehouse/domain';

const DNS_RECORD = 'The DNS record';

/** A DNS record that proves control of a domain. */
export class DomainRecordResponse implements DomainRecord {
  @ApiProperty({ enum: ['TXT'] }) type!: 'TXT';
  @ApiProperty({ example: '_gatehouse-challenge.acme.example' }) name!: string;
  @ApiProperty({ example: 'gatehouse-domain-verification=0f8Yc3…' }) value!: string;
}

const time = (description: string) => ({
  type: String,
  nullable: true,
  format: 'date-time',
  description,
});

/** A provider's domain and its verification state. */
export class DomainVerificationResponse {
  @ApiProperty({ example: 'acme.example' }) domain!: string;
  @ApiProperty({ description: 'The DNS record that verifies the domain' }) record!: DomainRecordResponse;
  @ApiProperty(time('Null while the domain is unverified and has no effect')) verifiedAt!: string | null;
  @ApiProperty(time('Time of the last lookup')) checkedAt!: string | null;
  @ApiProperty(
    time(
      'Time since which the record of a verified domain has been missing. After seven days, the domain is no longer verified',
    ),
  )
  failingSince!: string | null;

  static from(domain: ProviderDomain): DomainVerificationResponse {
    return {
      domain: domain.domain,
      record: domainRecord(domain),
      verifiedAt: domain.verifiedAt?.toISOString() ?? null,
      checkedAt: domain.checkedAt?.toISOString() ?? null,
      failingSince: domain.failingSince?.toISOString() ?? null,
    };
  }
}

const problems: Record<Exclude<DomainFinding, 'verified'>, (record: DomainRecord) => string> = {
  no_record: ({ name }) =>
    `${DNS_RECORD} was not found: there is no TXT record with the name ${name}. A new record can take some hours to appear.`,
  other_value: ({ name, value }) =>
    `${DNS_RECORD} has a different value: no TXT record with the name ${name} contains ${value}.`,
  dns_error: ({ name }) =>
    `${DNS_RECORD} could not be looked up: the name server did not respond, or reported an error for ${name}. Try again later.`,
};

/** A domain after a lookup. */
export class DomainCheckResponse extends DomainVerificationResponse {
  @ApiProperty({ enum: domainFindings, description: 'Result of the DNS lookup' }) finding!: DomainFinding;
  @ApiProperty({ type: String, nullable: true, description: 'What to change; null if the record was found' })
  detail!: string | null;

  static of(domain: ProviderDomain, finding: DomainFinding): DomainCheckResponse {
    const state = DomainVerificationResponse.from(domain);
    const detail = finding === 'verified' ? null : problems[finding](state.record);
    return { ...state, finding, detail };
  }
}
