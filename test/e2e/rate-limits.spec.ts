import { carriers, House, PASSWORD, type Answer } from '../support/house.js';
import { uniqueEmail } from '../support/unique-email.js';

describe.each(carriers)('rate limits counted beside %s', (carrier) => {
  let house: House;
  beforeAll(async () => {
    house = await House.start({ carrier, workers: 0, env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  });
  afterAll(async () => house?.stop());

  const loginFrom = (headers: Record<string, string>): Promise<Answer> =>
    house.login(uniqueEmail(), PASSWORD, headers);
  const statusesOf = async (count: number, headers: () => Record<string, string>): Promise<number[]> => {
    const statuses: number[] = [];
    // Ten at a time: more at once could find the hash threads of a slow machine overloaded.
    while (statuses.length < count) {
      const some = Array.from({ length: Math.min(10, count - statuses.length) }, () => loginFrom(headers()));
      statuses.push(...(await Promise.all(some)).map(({ status }) => status));
    }
    return statuses.sort();
  };

  it('30 logins a minute per client address, told in the documented headers (RL-02, RL-07)', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    expect(await statusesOf(30, () => from)).toEqual(Array(30).fill(401));
    const refused = await loginFrom(from);
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
    expect((await statusesOf(31, neighbours)).filter((status) => status === 429)).toHaveLength(1);
    expect((await loginFrom({ 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(401);
  });

  it('X-Client-IP counts only when a secret key vouches for it', async () => {
    let client = 0;
    const clients = () => ({
      'x-forwarded-for': '203.0.113.20',
      'x-client-ip': `198.51.100.${(client += 1)}`,
    });
    expect((await statusesOf(31, clients)).filter((status) => status === 429)).toHaveLength(1);
    const vouched = () => ({ ...clients(), authorization: `Bearer ${house.credentials.projectSecretKey}` });
    expect(await statusesOf(31, vouched)).toEqual(Array(31).fill(401));
  });

  it('an address with a port, or an IPv4 address in the form of IPv6, is the address itself', async () => {
    const withPorts = (port: number) => ({ 'x-forwarded-for': `203.0.113.30:${50_000 + port}` });
    let port = 0;
    const statuses = await statusesOf(31, () => withPorts((port += 1)));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    let client = 0;
    const mapped = () => ({
      authorization: `Bearer ${house.credentials.projectSecretKey}`,
      'x-client-ip': `::ffff:198.51.100.${(client += 1)}`,
    });
    expect(await statusesOf(31, mapped)).toEqual(Array(31).fill(401));
  });

  it('a secret key may call 100 times a second', async () => {
    const answers = await Promise.all(
      Array.from({ length: 250 }, () => house.server('GET', '/v1/webhooks/endpoints?limit=1')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"secret-key";q=100;w=1');
  });
});

describe('loopback', () => {
  it('is exempt outside production', async () => {
    const house = await House.start({ workers: 0 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => house.login(uniqueEmail())));
    await house.stop();
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(401));
  });
});
