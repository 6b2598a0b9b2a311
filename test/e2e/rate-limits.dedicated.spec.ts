import { Agent, get, type IncomingMessage } from 'node:http';
import { queues, TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { uniqueEmail } from '../support/unique-email.js';

/** The statuses of so many answers. More at once could find the hash threads of a slow machine overloaded. */
async function fourByFour(count: number, ask: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < count) {
    const some = Array.from({ length: Math.min(4, count - statuses.length) }, ask);
    statuses.push(...(await Promise.all(some)).map(({ status }) => status));
  }
  return statuses;
}

describe.each(queues)('rate limits counted beside %s', (queue) => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await TestInstance.start({ queue, workers: 0, env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  });
  afterAll(async () => instance?.stop());

  const loginFrom = (headers: Record<string, string>): Promise<Answer> =>
    instance.login(uniqueEmail(), PASSWORD, headers);
  const statusesOf = (count: number, headers: () => Record<string, string>): Promise<number[]> =>
    fourByFour(count, () => loginFrom(headers()));
  /** The first refusal after 30. While Redis is too slow to be waited for, each api counts by itself: from nothing. */
  const refusedAfter30 = async (headers: () => Record<string, string>): Promise<Answer> => {
    expect(await statusesOf(30, headers)).toEqual(Array(30).fill(401));
    for (let more = queue === 'redis' ? 31 : 0; ; more -= 1) {
      const answer = await loginFrom(headers());
      if (answer.status === 429 || more === 0) return answer;
    }
  };

  it('30 logins a minute per client address, told in the documented headers (RL-02, RL-07)', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const refused = await refusedAfter30(() => from);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const wait = refused.headers.get('retry-after');
    expect(Number(wait)).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"login";q=30;w=60');
    expect(refused.headers.get('ratelimit')).toBe(`"login";r=0;t=${wait}`);
    expect((await loginFrom({ 'x-forwarded-for': '203.0.113.10' })).status).toBe(401);
  });

  it('IPv6 clients count by /64 (RL-02)', async () => {
    let host = 0;
    const neighbours = () => ({ 'x-forwarded-for': `2001:db8:1:2::${(host += 1).toString(16)}` });
    expect((await refusedAfter30(neighbours)).status).toBe(429);
    expect((await loginFrom({ 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(401);
  });

  it('X-Client-IP counts only when a secret key vouches for it', async () => {
    let client = 0;
    const clients = () => ({
      'x-forwarded-for': '203.0.113.20',
      'x-client-ip': `198.51.100.${(client += 1)}`,
    });
    expect((await refusedAfter30(clients)).status).toBe(429);
    const vouched = () => ({
      ...clients(),
      authorization: `Bearer ${instance.credentials.projectSecretKey}`,
    });
    expect(await statusesOf(31, vouched)).toEqual(Array(31).fill(401));
  });

  it('an address with a port, or an IPv4 address in the form of IPv6, is the address itself', async () => {
    const withPorts = (port: number) => ({ 'x-forwarded-for': `203.0.113.30:${50_000 + port}` });
    let port = 0;
    expect((await refusedAfter30(() => withPorts((port += 1)))).status).toBe(429);
    let client = 0;
    const mapped = () => ({
      authorization: `Bearer ${instance.credentials.projectSecretKey}`,
      'x-client-ip': `::ffff:198.51.100.${(client += 1)}`,
    });
    expect(await statusesOf(31, mapped)).toEqual(Array(31).fill(401));
  });

  it('a secret key may call 100 times a second', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const headers = { authorization: `Bearer ${instance.credentials.secretKey}` };
    const ask = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const request = get(`${instance.baseUrl}/v1/webhooks/endpoints?limit=1`, { agent, headers });
        request.on('error', reject).on('response', (response) => resolve(response.resume()));
      });
    let refused: IncomingMessage[] = [];
    // A slow machine may take longer than a second for a hundred.
    for (let bursts = 0; bursts < 3 && refused.length === 0; bursts += 1) {
      const answers = await Promise.all(Array.from({ length: 400 }, ask));
      refused = answers.filter(({ statusCode }) => statusCode === 429);
    }
    agent.destroy();
    expect(refused[0]?.headers['ratelimit-policy']).toBe('"secret-key";q=100;w=1');
  });
});

describe('loopback', () => {
  it('is exempt outside production', async () => {
    const instance = await TestInstance.start({ workers: 0 });
    try {
      const statuses = await fourByFour(40, () => patiently(() => instance.login(uniqueEmail())));
      expect(statuses).toEqual(Array(40).fill(401));
    } finally {
      await instance.stop();
    }
  });
});
