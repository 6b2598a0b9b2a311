import { NameServer, type NameRecord } from '../../../../test/support/name-server.js';
import { TxtResolver } from './txt-resolver.js';

describe('TxtResolver', () => {
  let server: NameServer;
  beforeEach(async () => (server = await NameServer.start()));
  afterEach(() => server.stop());

  const resolve = (timeoutMs = 5_000) => new TxtResolver([server.address], timeoutMs).resolve('a.example');

  it.each<[string, NameRecord, string[]]>([
    ['one record', { texts: ['one'] }, ['one']],
    ['several records', { texts: ['one', 'two'] }, ['one', 'two']],
    ['a record in parts', { texts: ['x'.repeat(600)] }, ['x'.repeat(600)]],
    ['a name without TXT records', ['192.0.2.7'], []],
    ['a name that does not exist', 'NXDOMAIN', []],
  ])('returns the strings of a name: %s', async (_, record, expected) => {
    server.records['a.example'] = record;
    expect((await resolve()).sort()).toEqual(expected);
  });

  it.each<[NameRecord, string]>([
    ['SERVFAIL', 'ESERVFAIL'],
    ['REFUSED', 'EREFUSED'],
  ])('throws the error of the name server: %s', async (record, code) => {
    server.records['a.example'] = record;
    await expect(resolve()).rejects.toMatchObject({ code });
  });

  it('throws if no name server responds in time', async () => {
    server.records['a.example'] = 'silent';
    await expect(resolve(300)).rejects.toMatchObject({
      code: expect.stringMatching(/^E(TIMEOUT|CANCELLED)$/),
    });
  });

  it('does not cache results', async () => {
    server.records['a.example'] = (nth) => ({ texts: [`text ${nth}`] });
    const resolver = new TxtResolver([server.address], 5_000);
    const found = [await resolver.resolve('a.example'), await resolver.resolve('a.example')];
    expect(found.flat()).toEqual(['text 0', 'text 1']);
  });
});
