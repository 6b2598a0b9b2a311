import { pino } from 'pino';
import { createLogger, type Logger } from './logger.js';
import { NestLogger } from './nest-logger.js';

type Line = Record<string, unknown> & { error?: Record<string, unknown> };

/** What `act` makes the logger write. */
function written(act: (logger: Logger) => void, logLevel: 'trace' | 'warn' = 'trace'): string {
  let text = '';
  const logger = createLogger({ logLevel }, 'unit');
  // In the place of standard output.
  Object.assign(logger, { [pino.symbols.streamSym]: { write: (line: string) => (text += line) } });
  act(logger);
  return text;
}

const linesOf = (act: (logger: Logger) => void): Line[] =>
  written(act)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** An error as pg and TypeORM make them. */
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

/** An error as axios makes them. */
const requestError = Object.assign(new Error('Request failed with status code 500'), {
  code: 'ERR_BAD_RESPONSE',
  config: { headers: { Authorization: 'Bearer sk_keykey' }, data: 'whsec_secretsecret' },
  request: { path: '/?token=tokentoken' },
  response: { data: 'bodybody' },
});

describe('the logger', () => {
  it('LG-02: writes one JSON object per line, with UTC time, level and service', () => {
    const [line, ...others] = linesOf((logger) => logger.info({ requestId: 'r1' }, 'request'));
    expect(others).toEqual([]);
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'unit',
      pid: process.pid,
      requestId: 'r1',
      message: 'request',
    });
  });

  it.each([
    ['a line feed', 'x\n{"level":"fatal","message":"forged"}'],
    ['CR LF', 'x\r\n{"level":"fatal"}'],
    ['terminal colours', '\u001b[31mred\u001b[0m'],
    ['a screen that is cleared', '\u001b[2J\u001b[H'],
    ['backspaces', 'visible\b\b\b\b\b\b\bhidden'],
    ['NUL', 'a\0b'],
    ['a quote that ends the text', '","level":"fatal","x":"'],
    ['a lone surrogate', 'a\ud800b'],
  ])('LG-02: %s in the input cannot forge a line', (_, hostile) => {
    const text = written((logger) => {
      logger.warn({ userAgent: hostile, [hostile]: 1, error: new Error(hostile) }, hostile);
    });
    expect(text.split('\n')).toHaveLength(2);
    // eslint-disable-next-line no-control-regex -- that none are there is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const line = JSON.parse(text) as Line;
    expect(line).toMatchObject({ level: 'warn', service: 'unit' });
    if (hostile.isWellFormed()) expect(line).toMatchObject({ userAgent: hostile, message: hostile });
  });

  it.each([
    ['the database', databaseError, '23505'],
    ['a request', requestError, 'ERR_BAD_RESPONSE'],
  ])('LG-01: an error of %s is logged by its named members only', (_, error, code) => {
    const [line] = linesOf((logger) => logger.error({ error }, 'request failed'));
    expect(Object.keys(line!.error!).sort()).toEqual(['code', 'message', 'stack', 'type']);
    expect(line!.error).toMatchObject({ type: error.name, message: error.message, code });
    expect(JSON.stringify(line)).not.toMatch(
      /ada@example|hashhash|tokentoken|INSERT|keykey|secretsecret|bodybody/,
    );
  });

  it('LG-01: a cause is logged the same way', () => {
    const wrapped = new Error('the database did not answer', { cause: databaseError });
    const [line] = linesOf((logger) => logger.error({ error: wrapped }, 'request failed'));
    expect(line!.error!['cause']).toMatchObject({ type: 'QueryFailedError', code: '23505' });
    expect(JSON.stringify(line)).not.toMatch(/ada@example|hashhash|tokentoken|INSERT/);
  });

  it('LG-02: an error that is its own cause is logged all the same', () => {
    const error = new Error('round and round');
    error.cause = error;
    expect(linesOf((logger) => logger.error({ error }, 'x'))).toHaveLength(1);
  });

  it('LG-01: what was thrown and is no error is a message, not an object', () => {
    const [text, object, nothing] = linesOf((logger) => {
      logger.error({ error: 'a text' }, 'x');
      logger.error({ error: { password: 'hunter2' } }, 'x');
      logger.error({ error: undefined }, 'x');
    });
    expect(text!.error).toEqual({ message: 'a text' });
    expect(object!.error).toEqual({ message: '[object Object]' });
    expect(nothing).not.toHaveProperty('error');
  });

  it('keeps to its level', () => {
    expect(written((logger) => logger.info('quiet'), 'warn')).toBe('');
    expect(written((logger) => logger.warn('loud'), 'warn')).not.toBe('');
  });
});

describe('NestLogger', () => {
  it("lets Nest's words through at debug level, its warnings and errors at theirs", () => {
    const lines = linesOf((logger) => {
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
    expect(JSON.stringify(lines)).not.toMatch(/ada@example|hashhash/);
  });
});
