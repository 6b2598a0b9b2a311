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
  it('WH-09: a secret is whsec_ and the base64 of its bytes', () => {
    expect(secret).toBe(`whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`);
  });

  it('WH-07: equals the example of Standard Webhooks', () => {
    expect(
      signWebhook(
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1614265330,
        '{"test": 2432232314}',
      ),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it.each(['{"id":"evt_1"}', '{"name":"Ünï©ode 🦄 \u2028"}', '{}', `{"x":"${'y'.repeat(100_000)}"}`])(
    'WH-07: the standardwebhooks package accepts what we sign (body %#)',
    (body) => {
      expect(verify(body)).toEqual(JSON.parse(body));
    },
  );

  it.each([
    [
      'another body',
      () => verify('{"a":1}', { 'webhook-signature': signWebhook(secret, id, timestamp, '{"a":2}') }),
    ],
    ['another id', () => verify('{}', { 'webhook-id': `${id}x` })],
    ['another time', () => verify('{}', { 'webhook-timestamp': String(timestamp - 1) })],
    ['another secret', () => verify('{}', {}, formatWebhookSecret(Buffer.alloc(32, 0x5a)))],
  ])('WH-07: the standardwebhooks package refuses %s', (_, act) => {
    expect(act).toThrow();
  });

  it('WH-08: a fresh timestamp makes a fresh signature', () => {
    expect(signWebhook(secret, id, 1, '{}')).not.toBe(signWebhook(secret, id, 2, '{}'));
  });
});
