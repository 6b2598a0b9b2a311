import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '@gatehouse/platform';
import type { ProtocolProvider } from '../identity-protocol.js';
import { discoverIssuer } from './discover-issuer.js';
import { OAuthConnectionsService, type Configure } from './oauth-connections.service.js';

let server: Server;
let issuer: string;
let requests = 0;
let padding = '';
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1;
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: issuer,
        token_endpoint: issuer,
        jwks_uri: issuer,
        padding,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it("caches a connection unless one of the provider's documents is larger than 32 KiB", async () => {
  const config = { production: false, webhooks: { allowedCidrs: [], dnsServers: [] } } as unknown as Config;
  const connections = new OAuthConnectionsService(config);
  const connect = (id: string) => {
    const provider = { id, projectId: 'project', version: 0 } as ProtocolProvider;
    const configure: Configure = (client, fetch) =>
      discoverIssuer(client, { issuer, clientId: 'client', authentication: client.None(), fetch });
    return connections.connect(provider, configure);
  };
  await connect('small');
  await connect('small');
  expect(requests).toBe(1);
  padding = 'x'.repeat(33 * 1024);
  await connect('large');
  await connect('large');
  expect(requests).toBe(3);
});
