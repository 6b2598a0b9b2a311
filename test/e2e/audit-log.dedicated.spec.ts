import { randomUUID } from 'node:crypto';
import { TestInstance } from '../support/test-instance.js';
import { freePort } from '../support/server-process.mjs';

/** The recorded form of an IPv4 and of an IPv6 address for each setting. */
const RECORDED = {
  masked: ['203.0.113.0/24', '2001:db8:1::/48'],
  off: [null, null],
  full: ['203.0.113.99', '2001:db8:1:2::3'],
};

it('AUDIT_IP controls how the audit log records addresses', async () => {
  const [setting, ...others] = Object.keys(RECORDED);
  const instance = await TestInstance.start({
    workers: 0,
    env: { AUDIT_IP: setting!, TRUSTED_PROXIES: '127.0.0.1/32' },
  });
  try {
    const baseUrls = [instance.baseUrl];
    for (const other of others) {
      const port = await freePort();
      baseUrls.push(`http://127.0.0.1:${port}`);
      await instance.startApi({ PORT: String(port), AUDIT_IP: other }).waitUntilReady();
    }
    const authorization = `Bearer ${instance.credentials.secretKey}`;
    const found: Record<string, unknown> = {};
    for (const [index, name] of Object.keys(RECORDED).entries()) {
      const baseUrl = baseUrls[index]!;
      const ips: unknown[] = [];
      for (const address of ['203.0.113.99', '2001:db8:1:2::3']) {
        const { headers } = await instance.request('POST', '/api/v1/customers', {
          baseUrl,
          body: { email: `${randomUUID()}@example.com` },
          headers: { authorization, 'x-forwarded-for': address },
        });
        const requestId = headers.get('x-request-id')!;
        const rows = await instance.sql('SELECT ip FROM audit_log WHERE request_id = $1', [requestId]);
        const { body } = await instance.request('GET', `/api/v1/audit-log?requestId=${requestId}`, {
          baseUrl,
          headers: { authorization },
        });
        expect(rows).toEqual([{ ip: body.data[0].ip }]);
        ips.push(rows[0]!['ip']);
      }
      found[name] = ips;
    }
    expect(found).toEqual(RECORDED);
  } finally {
    await instance.stop();
  }
});
