import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { formatWebhookSecret, Keyring } from '@gatehouse/platform';
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

describe('webhookHeaders', () => {
  it('WH-09: signs with both secrets while both are valid, the newest first', () => {
    const headers = webhookHeaders(keyring, { ...attempt, previousSecret: seal(previous) });
    for (const validSecret of [secret, previous])
      expect(new Webhook(validSecret).verify(body, headers)).toEqual({ text: 'Grüße 🙂' });
    const [first] = headers['webhook-signature']!.split(' ');
    const onlyNewest = { ...headers, 'webhook-signature': first! };
    expect(() => new Webhook(secret).verify(body, onlyNewest)).not.toThrow();
    expect(() => new Webhook(previous).verify(body, onlyNewest)).toThrow();
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
  });

  it('contains the custom headers of the endpoint, which cannot override those of Gatehouse', () => {
    const custom = { 'x-env': 'staging', 'user-agent': 'another', 'webhook-id': 'another' };
    const sealed = keyring.encrypt('webhook-headers', endpointId, JSON.stringify(custom));
    const headers = webhookHeaders(keyring, { ...attempt, headers: sealed });
    expect(headers).toMatchObject({ 'x-env': 'staging', 'webhook-id': `evt_${attempt.eventId}` });
    expect(headers['user-agent']).toMatch(/^Gatehouse-Webhooks\//);
  });

  it('throws for the secret of another endpoint', () => {
    expect(() => webhookHeaders(keyring, { ...attempt, endpointId: randomUUID() })).toThrow();
  });
});
