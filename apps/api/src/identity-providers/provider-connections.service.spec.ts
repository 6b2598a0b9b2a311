import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectedProvider } from '@gatehouse/persistence';
import type { Config, Keyring } from '@gatehouse/platform';
import { ProviderConnectionsService } from './provider-connections.service.js';

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

it('caches a connection unless a document of the provider is larger than 32 KiB', async () => {
  const config = { production: false, webhooks: { allowedCidrs: [], dnsServers: [] } } as unknown as Config;
  const connections = new ProviderConnectionsService(config, {} as Keyring);
  const provider = (id: string) =>
    ({
      id,
      type: 'oidc',
      issuer,
      clientId: 'client',
      clientSecret: null,
      updatedAt: new Date(0),
    }) as ConnectedProvider;
  await connections.connect(provider('small'));
  await connections.connect(provider('small'));
  expect(requests).toBe(1);
  padding = 'x'.repeat(33 * 1024);
  await connections.connect(provider('large'));
  await connections.connect(provider('large'));
  expect(requests).toBe(3);
});
