import type { Cli } from '../../cli.js';
import { checkTls } from './check-tls.js';

it('rejects http for a public host without opening a connection', async () => {
  expect(await checkTls({} as Cli, new URL('http://auth.example.com'))).toEqual({
    check: 'tls',
    status: 'error',
    message: 'The secret key would be sent to auth.example.com unencrypted',
    fix: 'Put a proxy that terminates TLS in front of Gatehouse, and use https:// in GATEHOUSE_URL.',
  });
});
