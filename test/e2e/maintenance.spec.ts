import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertSessions } from '../support/insert-sessions.js';
import type { ServerProcess } from '../support/server-process.mjs';

let instance: TestInstance;
beforeEach(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterEach(async () => {
  // Resetting the rows does not remove what a test adds to the schema.
  await instance?.sql(
    `DROP TRIGGER IF EXISTS batches ON login_attempts; DROP TRIGGER IF EXISTS reject ON login_attempts;
     DROP TRIGGER IF EXISTS reject ON sessions;
     DROP FUNCTION IF EXISTS record_batch, reject_delete; DROP TABLE IF EXISTS batches`,
  );
  await instance?.stop();
});

/** Starts a worker that removes nothing until a test runs a job. */
async function startIdleWorker(): Promise<ServerProcess> {
  const worker = instance.startWorker({ PERIODIC_JOBS: 'off' });
  await instance.waitUntilReady();
  return worker;
}

const count = async (table: string): Promise<number> => {
  const [row] = await instance.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return row!.count;
};

/** Inserts failed logins of this age. They have expired by default. */
const insertLoginAttempts = (rows: number, days = 91): Promise<unknown> =>
  instance.sql(
    `INSERT INTO login_attempts (project_id, email_hash, tries, window_ends_at, failed_at)
     SELECT $1, (n || ' ' || $3::int)::bytea, 1, now() - $3::int * interval '1 day' + interval '15 minutes',
       now() - $3::int * interval '1 day'
     FROM generate_series(1, $2::int) AS n`,
    [instance.credentials.projectId, rows, days],
  );

/** Inserts a customer with a current and an expired record of each kind. */
async function insertExpired(): Promise<void> {
  const { id } = await registerCustomer(instance);
  const { projectId } = instance.credentials;
  const [old] = await insertSessions(instance, id, 1);
  await instance.sql(`UPDATE sessions SET absolute_expires_at = now() - interval '31 days' WHERE id = $1`, [
    old,
  ]);
  await instance.sql(
    `INSERT INTO one_time_tokens (id, customer_id, kind, email, token_hash, expires_at)
     VALUES ($1, $2, 'reset-password', 'a@example.com', '', now() - interval '31 days')`,
    [randomUUID(), id],
  );
  for (const state of ['sent', 'dropped', 'pending']) {
    await instance.sql(
      `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, created_at, next_try_at)
       VALUES ($1, $2, $3, 'reset-password', 'a@example.com', $4, now() - interval '31 days', now() + interval '1 day')`,
      [randomUUID(), projectId, id, state],
    );
  }
  for (const age of ['25 hours', '1 hour']) {
    await instance.sql(
      `INSERT INTO idempotency_keys (project_id, route, key_hash, fingerprint, claim, started_at)
       VALUES ($1, 'POST /', $2, '', $3, now() - $4::interval)`,
      [projectId, Buffer.from(age), randomUUID(), age],
    );
    await instance.sql(
      `INSERT INTO passkey_ceremonies (challenge_hash, project_id, purpose, expires_at)
       VALUES ($1, $2, 'sign_in', now() + $3::interval)`,
      [Buffer.from(age), projectId, age === '1 hour' ? age : '-1 ms'],
    );
    await instance.sql(
      `INSERT INTO operator_flows (state_hash, expires_at) VALUES ($1, now() + $2::interval)`,
      [Buffer.from(age), age === '1 hour' ? age : '-1 ms'],
    );
    await instance.sql(
      `INSERT INTO customer_addresses (customer_id, address_block, last_login_at) VALUES ($1, $2, now() - $3::interval)`,
      [id, age, age === '1 hour' ? age : '31 days'],
    );
    await instance.sql(
      `INSERT INTO operator_addresses (operator_id, address_block, last_sign_in_at)
       SELECT id, $1, now() - $2::interval FROM operators`,
      [age, age === '1 hour' ? age : '31 days'],
    );
  }
}

const countRecords = async (): Promise<Record<string, number>> => ({
  sessions: await count('sessions'),
  tokens: await count('one_time_tokens'),
  mails: await count('mails'),
  responses: await count('idempotency_keys'),
  ceremonies: await count('passkey_ceremonies'),
  operatorFlows: await count('operator_flows'),
  addresses: await count("customer_addresses WHERE address_block IN ('25 hours', '1 hour')"),
  operatorAddresses: await count('operator_addresses'),
});

const failures = ({ log }: ServerProcess): unknown[] =>
  log.filter(({ message }) => message === 'maintenance job failed').map(({ task }) => task);

/** Locks the failed login table. @returns a function that releases the lock */
async function lockLoginAttempts(): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await instance.db.connect();
  await client.query('BEGIN; LOCK TABLE login_attempts IN ACCESS EXCLUSIVE MODE');
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

describe('maintenance', () => {
  it('removes expired records and nothing else', async () => {
    await insertExpired();
    const inserted = {
      sessions: 2,
      tokens: 2,
      mails: 4,
      responses: 2,
      ceremonies: 2,
      operatorFlows: 2,
      addresses: 2,
      operatorAddresses: 2,
    };
    expect(await countRecords()).toEqual(inserted);
    const worker = await startIdleWorker();
    const remaining = {
      sessions: 1,
      tokens: 1,
      mails: 2,
      responses: 1,
      ceremonies: 1,
      operatorFlows: 1,
      addresses: 1,
      operatorAddresses: 1,
    };
    for (const task of [
      'login attempts',
      'operator attempts',
      'idempotency keys',
      'sessions',
      'one-time tokens',
      'passkey ceremonies',
      'oauth flows',
      'mails',
    ])
      await worker.runJob(task);
    expect(await countRecords()).toEqual(remaining);
  });

  it('removes failed sign-ins of customers and operators 90 days after the last one (OP-02)', async () => {
    await insertLoginAttempts(2, 91);
    await insertLoginAttempts(1, 89);
    await instance.sql(
      `INSERT INTO operator_login_attempts (email_hash, tries, window_ends_at, failed_at)
       SELECT email_hash, tries, window_ends_at, failed_at FROM login_attempts`,
    );
    const worker = await startIdleWorker();
    for (const task of ['login attempts', 'operator attempts']) await worker.runJob(task);
    expect([await count('login_attempts'), await count('operator_login_attempts')]).toEqual([1, 1]);
  });

  it('MF-07: removes expired codes and exchanges, and wrong email codes after 90 days', async () => {
    const { projectId } = instance.credentials;
    await instance.sql(
      `INSERT INTO email_codes (token_hash, project_id, email, is_short, expires_at)
       SELECT n::text::bytea, $1, 'ada@example.com', true, now() - interval '1 ms' + n * interval '10 minutes'
       FROM generate_series(0, 1) AS n`,
      [projectId],
    );
    await instance.sql(
      `INSERT INTO email_code_attempts (project_id, email_hash, tries, failures, window_ends_at, failed_at)
       SELECT $1, days::text::bytea, 1, 1, now() - days * interval '1 day' + interval '15 minutes',
         now() - days * interval '1 day'
       FROM unnest('{89, 91}'::int[]) AS days`,
      [projectId],
    );
    await instance.sql(
      `INSERT INTO email_code_guesses (project_id, began_at, guesses)
       SELECT $1, now() - minutes * interval '1 minute', 1 FROM unnest('{59, 61}'::int[]) AS minutes`,
      [projectId],
    );
    await instance.sql(
      `INSERT INTO sign_in_exchanges
         (code_hash, project_id, method, email, redirect_url, code_challenge, requested_at, expires_at)
       SELECT n::text::bytea, $1, 'email', 'ada@example.com', 'https://app.example.com/', 'challenge', now(),
         now() - interval '1 ms' + n * interval '1 minute'
       FROM generate_series(0, 1) AS n`,
      [projectId],
    );
    await instance.sql(
      `INSERT INTO sign_in_flows (secret_hash, project_id, redirect_url, code_challenge, requested_at, expires_at)
       SELECT n::text::bytea, $1, 'https://app.example.com/', 'challenge', now(),
         now() - interval '1 ms' + n * interval '10 minutes'
       FROM generate_series(0, 1) AS n`,
      [projectId],
    );
    const { id } = (await instance.register()).body.customer;
    await instance.sql(
      `INSERT INTO reauthentication_codes (session_id, code_hash, expires_at)
       SELECT id, '', now() - interval '1 ms' + (row_number() OVER () - 1) * interval '10 minutes'
       FROM sessions WHERE id = ANY ($1)`,
      [await insertSessions(instance, id, 2)],
    );
    const worker = await startIdleWorker();
    for (const job of ['email codes', 'reauthentication codes', 'sign-in exchanges'])
      await worker.runJob(job);
    const tables = [
      'email_codes',
      'email_code_attempts',
      'email_code_guesses',
      'reauthentication_codes',
      'sign_in_exchanges',
      'sign_in_flows',
    ];
    expect(await Promise.all(tables.map(count))).toEqual(tables.map(() => 1));
  });

  it('removes many rows in batches', async () => {
    await insertLoginAttempts(12_000);
    await instance.sql(`CREATE TABLE batches (rows int);
      CREATE FUNCTION record_batch() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO batches SELECT count(*) FROM deleted; RETURN NULL; END';
      CREATE TRIGGER batches AFTER DELETE ON login_attempts REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION record_batch()`);
    await (await startIdleWorker()).runJob('login attempts');
    expect(await count('login_attempts')).toBe(0);
    const batches = await instance.sql<{ rows: number }>('SELECT rows FROM batches');
    expect(batches.map(({ rows }) => rows)).toEqual([5_000, 5_000, 2_000]);
  });

  it('continues with the other tasks if one fails', async () => {
    await insertExpired();
    await insertLoginAttempts(1);
    await instance.sql(`CREATE FUNCTION reject_delete() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''deletion rejected''; END';
      CREATE TRIGGER reject BEFORE DELETE ON login_attempts FOR EACH ROW EXECUTE FUNCTION reject_delete();
      CREATE TRIGGER reject BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION reject_delete()`);
    const worker = instance.startWorker();
    await eventually('the removal of expired mails', async () => (await count('mails')) === 2);
    expect(await countRecords()).toMatchObject({ sessions: 2, tokens: 1, mails: 2, responses: 1 });
    expect(failures(worker)).toEqual(['login attempts', 'sessions']);
  });

  it('does not delay deliveries', async () => {
    const release = await lockLoginAttempts();
    try {
      const worker = instance.startWorker();
      await eventually('the failed job', () => failures(worker).length > 0);
      const order = worker.log.map(({ message }) => message);
      expect(order).toContain('ready');
      expect(order.indexOf('ready')).toBeLessThan(order.indexOf('maintenance job failed'));
    } finally {
      await release();
    }
  });
});
