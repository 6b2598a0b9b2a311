import { pino } from 'pino';
import { createLogger, type Logger } from './logger.js';
import { NestLogger } from './nest-logger.js';

type Line = Record<string, unknown> & { error?: Record<string, unknown> };

/** Returns the logger's output while `act` runs. */
function captureOutput(act: (logger: Logger) => void, logLevel: 'trace' | 'warn' = 'trace'): string {
  let text = '';
  const logger = createLogger({ logLevel }, 'unit');
  // Replaces the logger's standard output.
  Object.assign(logger, { [pino.symbols.streamSym]: { write: (line: string) => (text += line) } });
  act(logger);
  return text;
}

const captureLines = (act: (logger: Logger) => void): Line[] =>
  captureOutput(act)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** An error as thrown by pg and TypeORM. */
const databaseError = Object.assign(
  new Error('duplicate key value violates unique constraint "customers_email"'),
  {
    name: 'QueryFailedError',
    code: '23505',
    detail: 'Key (email)=(ada@example.com) already exists.',
    query: 'INSERT INTO customers VALUES ($1, $2)',
    parameters: ['ada@example.com', 'v1$00000000$2b$10$hashhash'],
    driverError: { where: 'rt_tokentoken' },
  },
);

/** An error as thrown by axios. */
const requestError = Object.assign(new Error('Request failed with status code 500'), {
  code: 'ERR_BAD_RESPONSE',
  config: { headers: { Authorization: 'Bearer sk_keykey' }, data: 'whsec_secretsecret' },
  request: { path: '/?token=tokentoken' },
  response: { data: 'bodybody' },
});

const secrets = /ada@example|hashhash|tokentoken|INSERT|keykey|secretsecret|bodybody|hunter2/;

describe('the logger', () => {
  it('LG-02: writes one JSON object per line at or above its level, with time and service', () => {
    expect(captureLines((logger) => logger.info({ requestId: 'r1' }, 'request'))).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: 'unit',
        pid: process.pid,
        requestId: 'r1',
        message: 'request',
      },
    ]);
    expect(captureOutput((logger) => logger.info('quiet'), 'warn')).toBe('');
    expect(captureOutput((logger) => logger.warn('loud'), 'warn')).not.toBe('');
  });

  it.each([
    ['a line feed', 'x\n{"level":"fatal","message":"forged"}'],
    ['CR LF', 'x\r\n{"level":"fatal"}'],
    ['terminal colors', '\u001b[31mred\u001b[0m'],
    ['a sequence that clears the screen', '\u001b[2J\u001b[H'],
    ['backspaces', 'visible\b\b\b\b\b\b\bhidden'],
    ['NUL', 'a\0b'],
    ['a quote that ends the string', '","level":"fatal","x":"'],
    ['a lone surrogate', 'a\ud800b'],
  ])('LG-02: prevents %s in the input from forging a line', (_, hostile) => {
    const text = captureOutput((logger) => {
      logger.warn({ userAgent: hostile, [hostile]: 1, error: new Error(hostile) }, hostile);
    });
    expect(text.split('\n')).toHaveLength(2);
    // oxlint-disable-next-line no-control-regex -- the test checks that there are no control characters
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const line = JSON.parse(text) as Line;
    expect(line).toMatchObject({ level: 'warn', service: 'unit' });
    if (hostile.isWellFormed()) expect(line).toMatchObject({ userAgent: hostile, message: hostile });
  });

  it('LG-01: logs only certain members of an error and its cause', () => {
    for (const error of [databaseError, requestError]) {
      const wrapped = new Error('the database did not respond', { cause: error });
      const lines = captureLines((logger) => {
        logger.error({ error }, 'request failed');
        logger.error({ error: wrapped }, 'request failed');
      });
      const logged = {
        type: error.name,
        message: error.message,
        code: error.code,
        stack: expect.any(String),
      };
      expect(lines[0]!.error).toEqual(logged);
      expect(lines[1]!.error).toMatchObject({ message: wrapped.message, cause: logged });
      expect(JSON.stringify(lines)).not.toMatch(secrets);
    }
  });

  it('LG-01, LG-02: logs a thrown value that is not an error, and a circular cause', () => {
    const circular = new Error('circular');
    circular.cause = circular;
    const thrown = ['a text', { password: 'hunter2' }, undefined, circular];
    const lines = captureLines((logger) => thrown.forEach((error) => logger.error({ error }, 'x')));
    const [text, object, none, ownCause] = lines;
    expect(text!.error).toEqual({ message: 'a text' });
    expect(object!.error).toEqual({ message: '[object Object]' });
    expect(none).not.toHaveProperty('error');
    expect(ownCause!.error).toMatchObject({ message: 'circular' });
  });
});

it("logs Nest's messages at debug level, but its warnings and errors at their own levels", () => {
  const lines = captureLines((logger) => {
    const nest = new NestLogger(logger);
    nest.log('mapped', 'RouterExplorer');
    nest.debug('wired', 'InstanceLoader');
    nest.verbose('wired', 'InstanceLoader');
    nest.warn('deprecated', 'Router');
    nest.error('broken', 'stack', 'ExceptionHandler');
    nest.fatal(databaseError, 'ExceptionHandler');
  });
  expect(lines.map(({ level, message, context }) => [level, message, context])).toEqual([
    ['debug', 'mapped', 'RouterExplorer'],
    ['debug', 'wired', 'InstanceLoader'],
    ['debug', 'wired', 'InstanceLoader'],
    ['warn', 'deprecated', 'Router'],
    ['error', 'broken', 'ExceptionHandler'],
    ['fatal', `QueryFailedError: ${databaseError.message}`, 'ExceptionHandler'],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(secrets);
});
