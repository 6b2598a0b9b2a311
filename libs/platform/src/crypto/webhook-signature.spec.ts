import { Webhook } from 'standardwebhooks';
import { formatWebhookSecret, signWebhook } from './webhook-signature.js';

const secret = formatWebhookSecret(Buffer.alloc(32, 0xa5));
const id = 'evt_0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const timestamp = Math.floor(Date.now() / 1000);

const verify = (body: string, changed: Record<string, string> = {}, key = secret): unknown =>
  new Webhook(key).verify(body, {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(secret, id, timestamp, body),
    ...changed,
  });

describe('webhook signatures', () => {
  it('WH-09: use a secret that consists of whsec_ and base64', () => {
    expect(secret).toBe(`whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`);
  });

  it('WH-07: match the Standard Webhooks example', () => {
    const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const [exampleId, body] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}'];
    const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(signWebhook(exampleSecret, exampleId, 1614265330, body)).toBe(expected);
  });

  it('WH-07: pass verification by the standardwebhooks package for any body', () => {
    const long = `{"x":"${'y'.repeat(100_000)}"}`;
    for (const body of ['{"id":"evt_1"}', '{"name":"Ünï©ode 🦄 \u2028"}', '{}', long])
      expect(verify(body)).toEqual(JSON.parse(body));
  });

  it('WH-07, WH-08: fail verification with another body, id, timestamp or secret', () => {
    const other = { 'webhook-signature': signWebhook(secret, id, timestamp, '{"a":2}') };
    expect(() => verify('{"a":1}', other)).toThrow();
    expect(() => verify('{}', { 'webhook-id': `${id}x` })).toThrow();
    expect(() => verify('{}', { 'webhook-timestamp': String(timestamp - 1) })).toThrow();
    expect(() => verify('{}', {}, formatWebhookSecret(Buffer.alloc(32, 0x5a)))).toThrow();
  });
});
