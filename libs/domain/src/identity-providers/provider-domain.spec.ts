import {
  canonicalDomain,
  decideDomain,
  domainRecord,
  evaluateRecords,
  type DomainFinding,
} from './provider-domain.js';

it.each<[string, string | null]>([
  ['acme.example', 'acme.example'],
  [' ACME.Example ', 'acme.example'],
  ['eu.acme.example', 'eu.acme.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['acme.co.uk', 'acme.co.uk'],
  ['acme.github.io', 'acme.github.io'],
  ['example', null],
  ['co.uk', null],
  ['github.io', null],
  ['acme.example.', null],
  ['*.acme.example', null],
  ['user@acme.example', null],
  ['acme_corp.example', null],
  ['https://acme.example', null],
  ['acme.example:443', null],
  ['192.0.2.1', null],
  ['', null],
  [`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(42)}.example`, null],
])('canonicalizes the domain %s as %s', (input, expected) => {
  expect(canonicalDomain(input)).toBe(expected);
});

const record = domainRecord({ domain: 'acme.example', token: 't1' });

it('creates a DNS record for the domain, with the token in its value', () => {
  expect(record).toEqual({
    type: 'TXT',
    name: '_gatehouse-challenge.acme.example',
    value: 'gatehouse-domain-verification=t1',
  });
});

it.each<[string[], DomainFinding]>([
  [[], 'no_record'],
  [['v=spf1 -all'], 'other_value'],
  [['gatehouse-domain-verification=t2'], 'other_value'],
  [['gatehouse-domain-verification=t10'], 'other_value'],
  [['GATEHOUSE-domain-verification=t1'], 'other_value'],
  [['v=spf1 -all', 'gatehouse-domain-verification=t1'], 'verified'],
  [[' gatehouse-domain-verification=t1 '], 'verified'],
])('evaluates the records %j as %s', (texts, expected) => {
  expect(evaluateRecords(record, texts)).toBe(expected);
});

const now = new Date('2026-11-24T12:00:00.000Z');
const before = (days: number) => new Date(now.getTime() - days * 86_400_000);
type State = Omit<Parameters<typeof decideDomain>[0], 'checkedAt'>;
const unverified: State = { verifiedAt: null, failingSince: null };
const verified: State = { verifiedAt: before(30), failingSince: null };
const failing = (days: number): State => ({ verifiedAt: before(30), failingSince: before(days) });

it.each<[string, State, DomainFinding, State]>([
  ['verifies a domain', unverified, 'verified', { verifiedAt: now, failingSince: null }],
  ['keeps the verification time', verified, 'verified', verified],
  ['ends a failure when the record is back', failing(6), 'verified', verified],
  ['leaves a domain unverified without its record', unverified, 'no_record', unverified],
  ['leaves a domain unverified after a DNS error', unverified, 'dns_error', unverified],
  ['begins a failure without the record', verified, 'no_record', failing(0)],
  ['begins a failure with another value', verified, 'other_value', failing(0)],
  ['keeps the failure time', failing(6.9), 'no_record', failing(6.9)],
  ['ends the verification after seven days', failing(7), 'no_record', unverified],
  ['ends the verification after seven days with another value', failing(7), 'other_value', unverified],
  ['ignores a DNS error', verified, 'dns_error', verified],
  ['does not end the verification after a DNS error', failing(8), 'dns_error', failing(8)],
])('%s', (_, state, finding, expected) => {
  expect(decideDomain({ ...state, checkedAt: before(1) }, finding, now)).toEqual(expected);
});

it.each([
  ['ends the verification if the previous lookup was two days ago', 2, unverified],
  ['starts the failure period over if the previous lookup was longer ago', 2.1, failing(0)],
])('%s', (_, days, expected) => {
  expect(decideDomain({ ...failing(7), checkedAt: before(days) }, 'no_record', now)).toEqual(expected);
});
