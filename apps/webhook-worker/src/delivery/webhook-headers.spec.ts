import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  formatWebhookSecret,
  Keyring,
  UnreadableValueError,
  UnreadableValues,
  type Logger,
} from '@gatehouse/platform';
import { webhookHeaders } from './webhook-headers.js';

const keyring = new Keyring([randomBytes(32).toString('hex')]);
const endpointId = randomUUID();
const newSecret = (): string => formatWebhookSecret(randomBytes(32));
const seal = (secret: string): Buffer => keyring.encrypt('webhook-secret', endpointId, secret);
const body = JSON.stringify({ text: 'Grüße 🙂' });
const [secret, previous] = [newSecret(), newSecret()];
const attempt = {
  endpointId,
  eventId: randomUUID(),
  body,
  secret: seal(secret),
  previousSecret: null,
  headers: null,
};

const warnings: unknown[] = [];
const unreadable = new UnreadableValues(null, {
  warn: (fields: object) => warnings.push(fields),
} as unknown as Logger);
/** Encrypts with a GATEHOUSE_SECRET entry that is missing from `keyring`. */
const otherKeyring = new Keyring([randomBytes(32).toString('hex')]);

describe('webhookHeaders', () => {
  it('WH-09: signs with both secrets while both are valid, the newer first', () => {
    const headers = webhookHeaders(keyring, { ...attempt, previousSecret: seal(previous) }, unreadable);
    for (const validSecret of [secret, previous])
      expect(new Webhook(validSecret).verify(body, headers)).toEqual({ text: 'Grüße 🙂' });
    const [first] = headers['webhook-signature']!.split(' ');
    const onlyNewer = { ...headers, 'webhook-signature': first! };
    expect(() => new Webhook(secret).verify(body, onlyNewer)).not.toThrow();
    expect(() => new Webhook(previous).verify(body, onlyNewer)).toThrow();
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
  });

  it("contains the endpoint's custom headers, which cannot override Gatehouse's headers", () => {
    const custom = { 'x-env': 'staging', 'user-agent': 'another', 'webhook-id': 'another' };
    const sealed = keyring.encrypt('webhook-headers', endpointId, JSON.stringify(custom));
    const headers = webhookHeaders(keyring, { ...attempt, headers: sealed }, unreadable);
    expect(headers).toMatchObject({ 'x-env': 'staging', 'webhook-id': `evt_${attempt.eventId}` });
    expect(headers['user-agent']).toMatch(/^Gatehouse-Webhooks\//);
  });

  it('signs only with the current secret and warns if the previous one cannot be decrypted', () => {
    const previousSecret = otherKeyring.encrypt('webhook-secret', endpointId, previous);
    const headers = webhookHeaders(keyring, { ...attempt, previousSecret }, unreadable);
    expect(new Webhook(secret).verify(body, headers)).toEqual({ text: 'Grüße 🙂' });
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(1);
    const reason = expect.stringMatching(/^no entry of GATEHOUSE_SECRET has the id [0-9a-f]{8}$/) as string;
    expect(warnings).toEqual([{ endpointId, purpose: 'webhook-secret', reason }]);
  });

  it("throws for another endpoint's secret, and for headers that cannot be decrypted", () => {
    const headers = otherKeyring.encrypt('webhook-headers', endpointId, '{}');
    for (const unreadableAttempt of [
      { ...attempt, endpointId: randomUUID() },
      { ...attempt, headers },
    ])
      expect(() => webhookHeaders(keyring, unreadableAttempt, unreadable)).toThrow(UnreadableValueError);
  });
});
