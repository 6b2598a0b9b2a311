import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { authenticated, parameterStatus, readyForQuery } from '../../../../test/support/postgres-messages.js';
import { DatabaseHosts } from './database-hosts.js';

/** Starts a server that accepts every connection and reports whether it is a standby. */
async function startServer(isStandby: 'on' | 'off'): Promise<Server> {
  const greeting = [authenticated, parameterStatus('in_hot_standby', isStandby), readyForQuery];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.concat(greeting)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

describe('DatabaseHosts', () => {
  let servers: Server[];
  let ports: number[];
  beforeAll(async () => {
    servers = await Promise.all([startServer('on'), startServer('off'), startServer('off')]);
    ports = servers.map((server) => (server.address() as AddressInfo).port);
  });
  afterAll(() => servers.forEach((server) => server.close()));

  const list = () => ports.map((port) => `127.0.0.1:${port}`).join(',');

  it.each([
    ['', 1],
    ['?target_session_attrs=any', 0],
    ['?target_session_attrs=primary', 1],
    ['?target_session_attrs=read-write', 1],
  ])('chooses the first host that `target_session_attrs` accepts (URL query %j)', async (query, index) => {
    const hosts = DatabaseHosts.fromUrl(`postgresql://shop@${list()}/gatehouse${query}`)!;
    expect(await hosts.choose()).toEqual({ host: '127.0.0.1', port: ports[index] });
  });

  it('keeps the chosen host until `forget()` is called', async () => {
    const hosts = DatabaseHosts.fromUrl(
      `postgresql://shop@${list()}/gatehouse?target_session_attrs=primary`,
    )!;
    const chosen = hosts.choose();
    expect(hosts.choose()).toBe(chosen);
    await chosen;
    expect(hosts.choose()).toBe(chosen);
    servers[1]!.close();
    hosts.forget();
    expect(await hosts.choose()).toEqual({ host: '127.0.0.1', port: ports[2] });
  });

  it('returns undefined for a URL with a single host', () => {
    expect(DatabaseHosts.fromUrl('postgresql://shop@127.0.0.1/gatehouse')).toBeUndefined();
  });
});
