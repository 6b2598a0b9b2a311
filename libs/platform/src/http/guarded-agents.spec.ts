import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { LookupAddress } from 'node:dns';
import type { TargetPolicy } from '@gatehouse/domain';
import { eventually } from '../../../../test/support/eventually.js';
import { respondEndlessly, RawTarget } from '../../../../test/support/raw-target.js';
import { guardedAgents } from './guarded-agents.js';
import type { Lookup } from './guarded-lookup.js';

/** A lookup that returns unchecked addresses. */
const unguardedLookup: Lookup = (_, options, callback) =>
  options.all ? callback(null, [loopback]) : callback(null, loopback.address, loopback.family);
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

const blocked = expect.objectContaining({ code: 'ERR_BLOCKED_ADDRESS' });

describe('guardedAgents', () => {
  let target: RawTarget;
  let policy: TargetPolicy;
  let agents: ReturnType<typeof guardedAgents>;
  afterEach(async () => {
    agents.httpAgent.destroy();
    agents.httpsAgent.destroy();
    await target.stop();
  });

  const start = async (production: boolean) => {
    target = await RawTarget.start();
    policy = { production, allowedCidrs: [] };
    agents = guardedAgents(policy, unguardedLookup, true);
  };

  const post = async (scheme: 'http' | 'https', host: string): Promise<number> => {
    const options = { method: 'POST', host, port: target.port, agent: agents[`${scheme}Agent`] };
    const request = (scheme === 'http' ? http : https).request(options).end('a secret');
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    // The socket returns to the pool after the end of the response.
    await new Promise((resolve) => setImmediate(resolve));
    return response.statusCode!;
  };

  it.each(['http', 'https'] as const)(
    'WH-02: sends no byte over %s to a peer that is not allowed',
    async (scheme) => {
      await start(true);
      await expect(post(scheme, 'deceived.example')).rejects.toEqual(blocked);
      // The connection is opened before the peer is known. Received bytes would be counted before it closes.
      await eventually(
        'the end of the connection',
        async () => target.connections === 1 && (await target.countConnections()) === 0,
      );
      expect(target.bytesReceived).toBe(0);
    },
  );

  it.each(['127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1', '169.254.169.254', 'fe80::1%lo'])(
    'WH-02: does not connect to the IP address %s',
    async (literal) => {
      await start(true);
      await expect(post('http', literal)).rejects.toEqual(blocked);
      await expect(post('https', literal)).rejects.toEqual(blocked);
      expect(target.connections).toBe(0);
    },
  );

  it('WH-02: checks the peer of a kept-alive connection before each request', async () => {
    await start(false);
    await expect(post('http', 'deceived.example')).resolves.toBe(200);
    await expect(post('http', 'deceived.example')).resolves.toBe(200);
    expect([target.connections, target.requests.length]).toEqual([1, 2]);
    policy.production = true;
    await expect(post('http', 'deceived.example')).rejects.toEqual(blocked);
    expect([target.connections, target.requests.length]).toEqual([1, 2]);
    policy.production = false;
    await expect(post('http', 'deceived.example')).resolves.toBe(200);
    expect(target.connections).toBe(2);
  });

  it('accepts a few interim responses, and rejects an endless series', async () => {
    await start(false);
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    target.respondWith(
      respondEndlessly(hint.repeat(20) + 'HTTP/1.1 204 No Content\r\n\r\n', ''),
      respondEndlessly(hint, hint),
    );
    await expect(post('http', 'deceived.example')).resolves.toBe(204);
    await expect(post('http', 'deceived.example')).rejects.toMatchObject({ code: 'ERR_INTERIM_RESPONSE' });
  });
});
