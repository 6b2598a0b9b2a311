import { once } from 'node:events';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { selfSigned } from '../../../../test/support/certificates.js';
import { RawTarget } from '../../../../test/support/raw-target.js';
import { createFilteredAgents } from './filtered-agents.js';

describe('createFilteredAgents', () => {
  it('rejects TLS 1.2 renegotiation', async () => {
    const certificate = selfSigned(['localhost']);
    const target = await RawTarget.start({ tls: { ...certificate, maxVersion: 'TLSv1.2' } });
    const { httpsAgent } = createFilteredAgents(false, { ca: certificate.cert });
    try {
      const rejection = new Promise((resolve) => {
        target.defaultResponder = (socket) => {
          socket.on('error', resolve);
          (socket as TLSSocket).renegotiate({}, resolve);
        };
      });
      const request = https.get({ host: 'localhost', port: target.port, agent: httpsAgent });
      const failure = once(request, 'error');
      await expect(rejection).resolves.toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
      await expect(failure).resolves.toHaveLength(1);
    } finally {
      await target.stop();
    }
  });
});
