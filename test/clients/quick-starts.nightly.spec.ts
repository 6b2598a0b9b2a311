import { randomUUID } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { run } from '../../scripts/processes.mjs';
import { checkCases } from '../support/check-cases.js';
import { registerCustomer } from '../support/customers.js';
import { DocumentFolder } from '../support/document-folder.js';
import { readSigningKey } from '../support/signing-key.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let folder: DocumentFolder;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  // This machine's package index and certificates.
  const env = Object.entries(process.env).filter(([name]) => /^(PIP_|SSL_CERT_)/.test(name));
  folder = await DocumentFolder.create('docs/quick-starts/python.md', {
    replace: { 'http://127.0.0.1:3000': instance.baseUrl },
    env: Object.fromEntries(env) as Record<string, string>,
  });
  await folder.write('../gatehouse/.data/credentials.json', JSON.stringify(instance.credentials));
});
afterAll(async () => {
  await folder?.close();
  await instance?.stop();
});

/** Returns true if Python and a package index are available. Otherwise logs the reason and returns false. */
async function hasPackageIndex(): Promise<boolean> {
  const script = 'python3 -m venv probe && probe/bin/pip download --quiet --no-deps --dest probe pyjwt';
  const { code, output } = await run('sh', ['-euc', script], { cwd: folder.path });
  if (code !== 0)
    process.stderr.write(`docs/quick-starts/python.md is not tested: ${output.trim().split('\n').at(-1)}\n`);
  return code === 0;
}

it('the Python server manages customers, and accepts only access tokens of its project', async () => {
  if (!(await hasPackageIndex())) return;
  const output = await folder.runBlocks('install', 'settings', 'customers', 'verify');
  const [email, customerId] = output.trim().split('\n').slice(-2);
  expect(email).toBe('ada@example.com');
  const customers = await instance.requestWithSecretKey('GET', '/api/v1/customers?email=grace@example.com');
  expect(customers.body.data).toMatchObject([{ id: customerId }]);

  const { tokens } = await registerCustomer(instance);
  const key = await readSigningKey(instance, tokens.accessToken);
  const sign = (claims: object, header: object = {}): Promise<string> =>
    new SignJWT({ ...decodeJwt(tokens.accessToken), ...claims })
      .setProtectedHeader({ alg: 'ES256', ...decodeProtectedHeader(tokens.accessToken), ...header })
      .sign(key);
  const verify = (token: string): Promise<string> =>
    folder
      .run(`. .venv/bin/activate && set -a && . ./.env && python3 verify_token.py '${token}'`)
      .catch((error: Error) => error.message);
  const { sub } = decodeJwt(tokens.accessToken);
  expect(await verify(await sign({}))).toBe(`${sub}\n`);
  const invalid: [string, string][] = [
    ['a word', 'token'],
    ['another signature', `${tokens.accessToken.slice(0, -8)}AAAAAAAA`],
    ['another project', await sign({ aud: randomUUID() })],
    ['another issuer', await sign({ iss: 'https://example.com' })],
    ['another type', await sign({}, { typ: 'JWT' })],
    ['expired', await sign({ exp: Math.floor(Date.now() / 1000) - 10 })],
    ['no session', await sign({ sid: undefined })],
  ];
  await checkCases(invalid, async (token) =>
    expect(await verify(token)).toContain('401 invalid_access_token'),
  );
});
