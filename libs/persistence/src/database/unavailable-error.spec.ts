import { isOutage, markConnectionError, toUnavailableError } from './unavailable-error.js';

const errorWithCode = (code: string) => Object.assign(new Error('rejected'), { code });

/** Returns the results for a request and for startup after an error. */
const describeError = (error: unknown) => [
  toUnavailableError(error)?.code ?? 'internal_error',
  isOutage(error) ? 'waits' : 'fails',
];

describe('PostgreSQL errors', () => {
  it.each([
    // The connection
    ['08000 connection exception', 'unavailable', 'waits'],
    ['08001 unable to connect', 'unavailable', 'waits'],
    ['08003 connection does not exist', 'unavailable', 'waits'],
    ['08004 connection rejected', 'unavailable', 'waits'],
    ['08006 connection failure', 'unavailable', 'waits'],
    ['08P01 protocol violation, which poolers return for most problems', 'unavailable', 'waits'],
    // The transaction
    ['25006 read-only', 'unavailable', 'waits'],
    ['25P02 aborted transaction', 'internal_error', 'fails'],
    ['25P03 idle transaction', 'unavailable', 'waits'],
    ['25P04 transaction timeout', 'unavailable', 'waits'],
    ['40001 serialization failure', 'unavailable', 'waits'],
    ['40P01 deadlock', 'unavailable', 'waits'],
    ['55P03 lock timeout', 'unavailable', 'waits'],
    // The role
    ['28000 role without permission to connect', 'unavailable', 'fails'],
    ['28P01 wrong password', 'unavailable', 'fails'],
    ['42501 missing privilege on a table', 'internal_error', 'fails'],
    // The database
    ['3D000 missing database', 'unavailable', 'waits'],
    ['3F000 missing schema', 'internal_error', 'fails'],
    // The resources
    ['53000 insufficient resources', 'unavailable', 'waits'],
    ['53100 disk full', 'unavailable', 'waits'],
    ['53200 out of memory', 'unavailable', 'waits'],
    ['53300 too many connections', 'unavailable', 'waits'],
    ['53400 temporary files too large', 'unavailable', 'waits'],
    // The operator
    ['57000 intervention', 'unavailable', 'waits'],
    ['57014 canceled', 'unavailable', 'waits'],
    ['57P01 shutdown', 'unavailable', 'waits'],
    ['57P02 crash of another process', 'unavailable', 'waits'],
    ['57P03 starting', 'unavailable', 'waits'],
    ['57P04 dropped database', 'unavailable', 'waits'],
    ['57P05 idle session', 'unavailable', 'waits'],
    // The server
    ['58030 I/O error', 'unavailable', 'waits'],
    ['XX001 corrupted data', 'internal_error', 'fails'],
    // The statement
    ['22P02 invalid value', 'internal_error', 'fails'],
    ['23505 unique violation', 'internal_error', 'fails'],
    ['42P01 missing table', 'internal_error', 'fails'],
  ])('classifies %s: requests return %s, startup %s', (name, request, start) => {
    expect(describeError(errorWithCode(name.slice(0, 5)))).toEqual([request, start]);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'])(
    'classifies %s: requests return unavailable, startup waits',
    (code) => expect(describeError(errorWithCode(code))).toEqual(['unavailable', 'waits']),
  );

  it('classifies an unknown connection error: requests return unavailable, startup fails', () => {
    const error = errorWithCode('CERT_HAS_EXPIRED');
    expect(describeError(error)).toEqual(['internal_error', 'fails']);
    markConnectionError(error);
    expect(describeError(error)).toEqual(['unavailable', 'fails']);
  });
});
