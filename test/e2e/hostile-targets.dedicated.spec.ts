import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetUrlProblem } from '@gatehouse/domain';
import { createAuthority } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { NameServer, type NameRecord } from '../support/name-server.js';
import { respondWith, getHeader, RawTarget } from '../support/raw-target.js';

/** Placeholder for the port on which a canary listens on both loopback addresses. */
const PORT = 'PORT';

/** URLs that a customer could enter. All of them are rejected when an endpoint is created. */
const hostileUrls = [
  ...[
    // Loopback addresses in every IPv4 notation.
    ...['127.0.0.1', '127.1', '127.0.1', '127.8.8.8', '127.0.0.1.', '2130706433', '0x7f000001'],
    ...['0x7f.0.0.1', '0X7F.1', '0177.0.0.1', '017700000001', '0x7f.0.0.01', '0', '0.0.0.0'],
    ...['１２７.０.０.１', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '127%2e0%2e0%2e1'],
    // The same addresses embedded in IPv6.
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ...['[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
    ...['[2001:0:7f00:1::1]', '[::1%25lo]', '[fe80::1%25lo]', '[fe80::1]', '[fec0::1]', '[fc00::1]'],
    // Metadata services, private and reserved networks, broadcast and multicast.
    ...['169.254.169.254', '0xa9fea9fe', '[fd00:ec2::254]', '100.100.100.200', '100.64.0.1'],
    ...['168.63.129.16', '10.0.0.1', '172.16.0.1', '192.168.0.1', '255.255.255.255', '224.0.0.1'],
    ...['[ff02::1]', '240.0.0.1', '198.18.0.1', '192.0.0.192'],
    // This machine's names.
    ...['localhost', 'LOCALHOST.', 'shop.localhost', 'ⓛocalhost', 'loc\u00adalhost', 'vm', 'api.internal'],
    // URLs that look as if they had a different host.
    ...['shop.example@127.0.0.1', 'shop.example:443@127.0.0.1', '%73hop.example%2f@127.0.0.1'],
  ].map((host) => `https://${host}:${PORT}/hook`),
  `https://127.0.0.1:${PORT}\\@shop.example/`,
  `https:\\\\127.0.0.1:${PORT}\\`,
  `https:127.0.0.1:${PORT}/`,
  `https:///127.0.0.1:${PORT}/`,
  `https://127.0.0.1:${PORT}#@shop.example/`,
  `https://127.0.0.1:${PORT}?@shop.example/`,
  `https://127.\t0.0.1:${PORT}/`,
  `http://shop.example:${PORT}/`,
  `//127.0.0.1:${PORT}/`,
  `unix:/var/run/docker.sock`,
  'file:///etc/passwd',
  'data:text/plain,hello',
];

/** Names that customers could create in their own zone. Only a DNS lookup reveals their addresses. */
const hostileNames: Record<string, [record: NameRecord, error?: string]> = {
  'loopback.example': [['127.0.0.1']],
  'loopback-six.example': [['::1']],
  'zero.example': [['0.0.0.0']],
  'unspecified.example': [['::']],
  'private.example': [['10.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'compatible.example': [['::127.0.0.1']],
  'nat64.example': [['64:ff9b::127.0.0.1']],
  'sixtofour.example': [['2002:7f00:1::']],
  'mixed.example': [['127.0.0.2', '127.0.0.1']],
  'mixed-families.example': [['127.0.0.2', '::1']],
  'many.example': [[...Array.from({ length: 20 }, () => '127.0.0.2'), '127.0.0.1']],
  'alias.example': [{ cname: 'localhost', addresses: ['127.0.0.1'] }],
  'bare-alias.example': [{ cname: 'localhost', addresses: [] }, 'dns_error'],
};

describe('hostile targets in production', () => {
  const production = { production: true, allowedCidrs: [] };
  let instance: TestInstance;
  let names: NameServer;
  let folder: string;
  /** Targets that must not be reached, one for each address family. */
  let canaries: RawTarget[];
  /** The only allowed target. Its address stands in for the public internet. */
  let target: RawTarget;
  let records: Record<string, [httpStatus: number, error: string | null][]>;

  beforeAll(async () => {
    const authority = createAuthority();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-hostile-'));
    await writeFile(join(folder, 'ca.pem'), authority.cert);
    const canary = await RawTarget.start();
    canaries = [canary, await RawTarget.start({ host: '::1', port: canary.port })];
    const tls = authority.issue(['shop.example', 'rebinding.example', 'redirecting.example']);
    target = await RawTarget.start({ host: '127.0.0.2', port: canary.port, tls });
    target.defaultResponder = (socket, request) => {
      const host = getHeader(request, 'host')!;
      if (host.startsWith('redirecting'))
        respondWith('302 Found', '', `Location: ${canary.url}`)(socket, request);
      else if (host.startsWith('rebinding'))
        socket.end('HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n');
      else respondWith('200 OK', 'ok')(socket, request);
    };
    names = await NameServer.start({
      ...Object.fromEntries(Object.entries(hostileNames).map(([name, [record]]) => [name, record])),
      'shop.example': ['127.0.0.2'],
      'redirecting.example': ['127.0.0.2'],
      'rebinding.example': (nth) => [nth === 0 ? '127.0.0.2' : '127.0.0.1'],
    });
    instance = await TestInstance.startShared({ workers: 0 });
    records = await deliverTo([
      ...hostileUrls,
      ...Object.keys(hostileNames).map((name) => `https://${name}:${PORT}/`),
      ...['shop', 'redirecting', 'rebinding'].map((name) => `https://${name}.example:${PORT}/`),
    ]);
  });

  afterAll(async () => {
    await instance?.stop();
    await Promise.all([names, target, ...(canaries ?? [])].map((each) => each?.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Delivers one event to all URLs with a worker in production. @returns the first two attempts by URL */
  const deliverTo = async (urls: string[]): Promise<typeof records> => {
    const endpointIds: Record<string, string> = {};
    for (const url of urls) {
      const endpoint = await instance.createEndpoint('http://127.0.0.1:1/', ['customer.created']);
      endpointIds[url] = endpoint.id.slice(3);
      // Bypasses the check at creation, and excludes the endpoint from the endpoint limit for now.
      await instance.sql(`UPDATE webhook_endpoints SET url = $1, status = 'deleted' WHERE id = $2`, [
        url.replace(PORT, String(target.port)),
        endpointIds[url],
      ]);
    }
    await instance.sql(`UPDATE webhook_endpoints SET status = 'enabled'`);
    instance.startWorker({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'auth@example.com',
      BCRYPT_COST: '10',
      RATE_LIMITS: 'on',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      WEBHOOK_DNS_SERVERS: names.address,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.2/32',
      // DNS queries are repeated after a fraction of this timeout, and a repeated query would count twice.
      WEBHOOK_TIMEOUT: '60s',
      WEBHOOK_RETRY_SCHEDULE: '0s,300ms,1h,1h,1h',
    });
    await instance.waitUntilReady();
    await instance.register();
    const read = () =>
      instance.sql<{ id: string; attempts: (typeof records)[string] }>(
        `SELECT endpoint_id AS id, json_agg(json_build_array(http_status, error) ORDER BY attempt) AS attempts
         FROM attempts GROUP BY endpoint_id`,
      );
    const rows = await eventually('two attempts at every URL except the valid one', async () => {
      const found = await read();
      return found.reduce((sum, { attempts }) => sum + attempts.length, 0) === 2 * urls.length - 1 && found;
    });
    return Object.fromEntries(
      urls.map((url) => [url, rows.find(({ id }) => id === endpointIds[url])?.attempts ?? []]),
    );
  };

  it('WH-02: do not include a name that has an allowed address and a matching certificate', () => {
    expect(records[`https://shop.example:${PORT}/`]).toEqual([[200, null]]);
    const [request] = target.requests.filter((each) => getHeader(each, 'host')?.startsWith('shop'));
    expect(getHeader(request!, 'host')).toBe(`shop.example:${target.port}`);
  });

  it('WH-01: fail the validation of an endpoint', () => {
    const accepted = hostileUrls.filter(
      (url) => targetUrlProblem(url.replace(PORT, '4443'), production) === null,
    );
    expect(accepted).toEqual([]);
  });

  it('WH-02: fail at each attempt', () => {
    const failed = (error = 'blocked_address') => Array<[number, string]>(2).fill([0, error]);
    const expected = {
      ...Object.fromEntries(hostileUrls.map((url) => [url, failed()])),
      ...Object.fromEntries(
        Object.entries(hostileNames).map(([name, [, error]]) => [`https://${name}:${PORT}/`, failed(error)]),
      ),
    };
    expect(records).toMatchObject(expected);
  });

  it('WH-02: are looked up once for each attempt, which connects to the resulting address', () => {
    expect(records[`https://rebinding.example:${PORT}/`]).toEqual([
      [500, 'http_error'],
      [0, 'blocked_address'],
    ]);
    expect(names.countQuestions('rebinding.example', 'A')).toBe(2);
  });

  it('WH-04: do not receive redirected requests; the redirects are recorded', () => {
    expect(records[`https://redirecting.example:${PORT}/`]).toEqual([
      [302, 'http_error'],
      [302, 'http_error'],
    ]);
  });

  it('WH-02: never receive a connection or a byte, and only names in the URLs are resolved', () => {
    expect(canaries.map(({ connections, bytesReceived }) => [connections, bytesReceived])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(new Set(names.questions.map(({ name }) => name))).toEqual(
      new Set([...Object.keys(hostileNames), 'shop.example', 'rebinding.example', 'redirecting.example']),
    );
    expect(target.requests).toHaveLength(4);
  });
});
