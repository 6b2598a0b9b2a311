import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NameServer, type NameRecord } from '../../../../test/support/name-server.js';
import { HostsFile } from '../runtime/hosts-file.js';
import { NameResolver } from './name-resolver.js';

describe('NameResolver', () => {
  let folder: string;
  let server: NameServer;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'gatehouse-names-'))));
  beforeEach(async () => (server = await NameServer.start()));
  afterEach(() => server.stop());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const resolver = (timeoutMs = 5_000, hosts = new HostsFile(join(folder, 'none'))) =>
    new NameResolver([server.address], timeoutMs, hosts);

  it.each<[string, NameRecord, string[]]>([
    ['both families', ['192.0.2.7', '2001:db8::7'], ['192.0.2.7', '2001:db8::7']],
    ['IPv4 only', ['192.0.2.7', '192.0.2.8'], ['192.0.2.7', '192.0.2.8']],
    ['IPv6 only', ['2001:db8::7'], ['2001:db8::7']],
    ['an alias', { cname: 'b.example', addresses: ['192.0.2.7'] }, ['192.0.2.7']],
    ['a server that fails for IPv6', (_, type) => (type === 'A' ? ['192.0.2.7'] : 'SERVFAIL'), ['192.0.2.7']],
  ])('finds the addresses of a name: %s', async (_, record, addresses) => {
    server.records['a.example'] = record;
    const found = await resolver().resolve('A.Example.');
    expect(found.map(({ address }) => address)).toEqual(addresses);
    expect(found.map(({ family }) => family)).toEqual(
      addresses.map((address) => (address.includes(':') ? 6 : 4)),
    );
  });

  it.each<[NameRecord, string]>([
    ['NXDOMAIN', 'ENOTFOUND'],
    ['SERVFAIL', 'ESERVFAIL'],
    ['REFUSED', 'EREFUSED'],
    [[], 'ENODATA'],
  ])('reports why a name has no addresses: %j', async (record, code) => {
    server.records['a.example'] = record;
    await expect(resolver().resolve('a.example')).rejects.toMatchObject({
      code: 'ERR_NO_ADDRESS',
      cause: { code },
    });
  });

  it('rejects an alias without an address, an invalid name, and an unreachable name server', async () => {
    server.records['a.example'] = { cname: 'localhost', addresses: [] };
    for (const name of ['a.example', 'a..example', `${'a'.repeat(64)}.example`])
      await expect(resolver().resolve(name)).rejects.toMatchObject({ code: 'ERR_NO_ADDRESS' });
    const unreachable = new NameResolver(['127.0.0.1:9'], 500, new HostsFile(join(folder, 'none')));
    await expect(unreachable.resolve('a.example')).rejects.toMatchObject({ code: 'ERR_NO_ADDRESS' });
  });

  it('repeats a lost query', async () => {
    server.records['a.example'] = (nth) => (nth === 0 ? 'silent' : ['192.0.2.7']);
    await expect(resolver(6_000).resolve('a.example')).resolves.toHaveLength(1);
  });

  it('gives up on a silent name server or address family in time, without delaying other lookups', async () => {
    server.records = {
      '*': 'silent',
      'good.example': ['192.0.2.7'],
      'four.example': (_, type) => (type === 'A' ? ['192.0.2.7'] : 'silent'),
      'six.example': (_, type) => (type === 'AAAA' ? ['2001:db8::7'] : 'silent'),
    };
    const names = resolver(5_000);
    const started = performance.now();
    let isHanging = true;
    const silent = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => names.resolve(`hangs-${index}.example`)),
    ).finally(() => (isHanging = false));
    const others = ['good.example', 'four.example', 'six.example'].map((name) => names.resolve(name));
    expect(await Promise.all(others)).toMatchObject([
      [{ address: '192.0.2.7' }],
      [{ address: '192.0.2.7' }],
      [{ address: '2001:db8::7' }],
    ]);
    expect(isHanging).toBe(true);
    for (const result of await silent)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'ERR_NO_ADDRESS' },
      });
    expect(performance.now() - started).toBeGreaterThan(4_500);
  });

  it('sends one query for concurrent lookups, and a new one for the next lookup', async () => {
    server.records['a.example'] = (nth) => [`192.0.2.${nth + 1}`];
    const names = resolver();
    const found = await Promise.all(Array.from({ length: 100 }, () => names.resolve('a.example')));
    expect(new Set(found.map(([first]) => first!.address))).toEqual(new Set(['192.0.2.1']));
    expect(server.countQuestions('a.example', 'A')).toBe(1);
    expect(await names.resolve('a.example')).toEqual([{ address: '192.0.2.2', family: 4 }]);
    server.records['a.example'] = 'NXDOMAIN';
    await expect(names.resolve('a.example')).rejects.toThrow();
    server.records['a.example'] = ['192.0.2.9'];
    expect(await names.resolve('a.example')).toEqual([{ address: '192.0.2.9', family: 4 }]);
  });

  it('resolves localhost without a name server', async () => {
    server.records = { '*': ['192.0.2.7'] };
    for (const name of ['localhost', 'LOCALHOST.', 'shop.localhost'])
      expect((await resolver().resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(server.questions).toHaveLength(0);
  });

  it('prefers the hosts file to name servers and to the built-in localhost addresses', async () => {
    server.records = { '*': ['192.0.2.7'] };
    const path = join(folder, 'hosts');
    await writeFile(path, '10.0.0.1 shop.example\n127.0.0.1 localhost');
    const names = resolver(5_000, new HostsFile(path));
    expect(await names.resolve('Shop.Example.')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect(await names.resolve('localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(server.questions).toHaveLength(0);
    expect(await names.resolve('other.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  });
});
