import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createCli } from './cli.js';
import { createProgram } from './program.js';
import { run } from './run.js';

const KEY = `sk_${'A'.repeat(49)}`;

let server: Server;
let url: string;
/** The status and body of the next responses. */
let response: [status: number, body: object];
let requests: { method: string; url: string; key: string; agent: string }[];
beforeAll(async () => {
  server = createServer((request, reply) => {
    const { method, url: path, headers } = request;
    requests.push({
      method: method!,
      url: path!,
      key: String(headers['x-api-key']),
      agent: headers['user-agent']!,
    });
    reply.writeHead(response[0], { 'content-type': 'application/problem+json' });
    reply.end(JSON.stringify(response[1]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
  response = [200, { data: [], nextCursor: null, hasMore: false }];
});
afterAll(() => server.close());

const stream = (): PassThrough => new PassThrough().setEncoding('utf8');
const newProcess = (env: Record<string, string> = {}) => ({
  env: { GATEHOUSE_URL: url, GATEHOUSE_SECRET_KEY: KEY, ...env },
  cwd: '/missing',
  stdin: stream(),
  stdout: stream(),
  stderr: stream(),
  signal: new AbortController().signal,
});

async function runCommand(args: string[], env: Record<string, string> = {}) {
  const process = newProcess(env);
  const code = await run(args, process);
  return { code, stdout: String(process.stdout.read() ?? ''), stderr: String(process.stderr.read() ?? '') };
}

it('prints the help and the version, and exits with 0', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const help = await runCommand(['customers', 'list', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/--email <email>[^]*--url <url>/);
});

it('exits with 2 if the usage or a setting is wrong, and sends no request', async () => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [[], {}, /Usage: gatehouse/],
    [['custmers'], {}, /unknown command 'custmers'\n\(Did you mean customers\?\)/],
    [['customers', 'list', '--emal', 'a'], {}, /unknown option '--emal'\n\(Did you mean --email\?\)/],
    [['customers', 'get'], {}, /missing required argument/],
    [['customers', 'list', '--limit', '0'], {}, /number from 1 to 200/],
    [['customers', 'list', '--created-after', 'soon'], {}, /Use a time such as/],
    [['customers', 'list', '--created-before', '2027-02-30'], {}, /The date 2027-02-30 does not exist/],
    [['customers', 'list'], { GATEHOUSE_URL: '' }, /^Error: GATEHOUSE_URL is not set\.\nFix: /],
    [['trigger', 'customer.created'], {}, /cannot be triggered[^]*Fix: .*redeliver/],
    [['trigger', 'app.order.paid', '--data', '[1]'], {}, /--data is not a JSON object/],
  ];
  for (const [args, env, message] of cases) {
    const { code, stdout, stderr } = await runCommand(args, env);
    expect({ args, code, stdout, stderr }).toEqual({
      args,
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  }
  expect(requests).toEqual([]);
});

it('prints an API error with its code, fields, request and fix, and exits with 1', async () => {
  const problem = {
    status: 403,
    detail: 'The secret key does not have all scopes.',
    code: 'insufficient_scope',
    requestId: 'request-1',
    requiredScopes: ['customer:read'],
    errors: [{ field: 'q', code: 'too_short', message: 'at least \u001b[31m2 characters' }],
  };
  response = [403, problem];
  expect(await runCommand(['customers', 'list'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Error: The secret key does not have all scopes. (insufficient_scope, request request-1)\n' +
      '  q: at least [U+001B][31m2 characters\n' +
      'Fix: Use a secret key with the scope customer:read. The scopes of a key cannot be changed.\n',
  });
  expect(requests).toMatchObject([
    { url: '/api/v1/customers', key: KEY, agent: expect.stringMatching(/^gatehouse-cli\//) },
  ]);
  const { code, stdout, stderr } = await runCommand(['customers', 'list', '--json']);
  expect([code, stdout]).toEqual([1, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'insufficient_scope',
      status: 403,
      requestId: 'request-1',
      requiredScopes: ['customer:read'],
    },
  });
});

it('prints the cause if another server responds, and never prints the key', async () => {
  response = [404, {}];
  const other = await runCommand(['customers', 'list']);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/status 404[^]*Another server/) });
  expect(other.stderr).not.toContain(KEY);
});

it('rejects a project id that is unsafe as a file name, and escapes ids before printing them', async () => {
  const id = '../../outside\u001b[31m';
  response = [200, { data: [{ id, settings: {} }], nextCursor: null, hasMore: false }];
  expect(await runCommand(['keys', 'list'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('invalid project id'),
  });
  response = [200, { data: { id, event_id: id, target_url: id } }];
  const { code, stdout } = await runCommand(['trigger', 'webhook.test', '--endpoint', 'whe_1']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('outside[U+001B]')]);
  expect(stdout).not.toContain('\u001b');
});

it('warns before it sends the key unencrypted to a public host', () => {
  const connect = (target: string): string => {
    const process = newProcess({ GATEHOUSE_URL: target });
    createCli(process).connect();
    return String(process.stderr.read() ?? '');
  };
  expect(connect('http://auth.example.com')).toMatch(/^Warning: .+ sent to auth\.example\.com unencrypted/);
  expect([connect('https://auth.example.com'), connect('http://[::1]:3000')]).toEqual(['', '']);
});

it('limits lists to the project in the settings', async () => {
  const project = '019aa2c0-7d1e-7000-8000-000000000000';
  await runCommand(['customers', 'list', '--email-verified', 'true', '--project', project, '--limit', '7']);
  expect(requests).toMatchObject([
    { url: `/api/v1/customers?emailVerified=true&projectId=${project}&limit=7` },
  ]);
});

it('describes each command in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const names = (command: Command): string[] =>
    command.commands.length > 0
      ? command.commands.flatMap((each) => names(each).map((name) => `${command.name()} ${name}`))
      : [command.name()];
  const missing = names(createProgram(createCli(newProcess()))).filter((name) => !readme.includes(name));
  expect(missing).toEqual([]);
});
