import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { MailServer, decodeQuotedPrintable } from '../support/mail-server.js';
import { loadConfig } from '../support/platform.js';
import { Scrape } from '../support/scrape.js';
import { seedDeliveries } from '../support/seed-deliveries.js';
import { Receiver, respondWithStatus, type ReceivedRequest } from '../support/receiver.js';
import { freePort, type ServerProcess } from '../support/server-process.mjs';
import { TestInstance } from '../support/test-instance.js';

/** The workers' mail server. */
const outgoing = new MailServer();
let alerts: Receiver;
let target: Receiver;
let instance: TestInstance;
beforeAll(async () => {
  [alerts, target] = await Promise.all([Receiver.start(), Receiver.start(), outgoing.start()]);
  const workerEnv = {
    PERIODIC_JOBS: 'off',
    WEBHOOK_TIMEOUT: '60s',
    WEBHOOK_CONCURRENCY: '1',
    ALERT_WEBHOOK_URL: `${alerts.url}?token=of-the-operator`,
    ALERT_EMAIL: 'Operations <ops@example.com>',
    SMTP_URL: outgoing.url,
    MAIL_FROM: 'Gatehouse <no-reply@example.com>',
  };
  instance = await TestInstance.startShared({ workers: 2, workerEnv });
});
afterEach(async () => {
  Object.assign(outgoing, { rejectsRecipients: false, postponesRecipients: false });
  target.defaultResponder = respondWithStatus(200);
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
  const leased = 'SELECT FROM deliveries WHERE lease_until IS NOT NULL';
  await eventually('the end of all attempts', async () => (await instance.sql(leased)).length === 0);
  const tables = ['alerts', 'alert_log', 'process_problems', 'email_code_guesses', 'mails'];
  for (const table of [...tables, 'attempts', 'deliveries']) await instance.sql(`DELETE FROM ${table}`);
  for (const list of [alerts.requests, target.requests, outgoing.mails]) list.length = 0;
});
afterAll(async () => {
  // Receivers stop first, because a worker waits for requests in progress.
  await Promise.all([alerts?.stop(), target?.stop()]);
  await Promise.all([instance?.stop(), outgoing.stop()]);
});

/** Workers with the current test's settings, or null for all workers. */
let ownWorkers: ServerProcess[] | null = null;

/** Runs `work` while only newly started workers with these settings check alerts. */
async function withWorkers(
  count: number,
  env: Record<string, string>,
  work: (workers: ServerProcess[]) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, () => instance.startWorker(env));
  await instance.waitUntilReady();
  ownWorkers = workers;
  try {
    await work(workers);
  } finally {
    ownWorkers = null;
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
  }
}

const listWorkers = () => (ownWorkers ?? instance.workers).filter(({ isRunning }) => isRunning);

/** Runs the alert check in all workers at the same time, and waits until the alerts are sent. */
const checkAlerts = () => Promise.all(listWorkers().map((worker) => worker.runJob('Alerter')));

const listAlerts = (kind: string, state = 'open'): ReceivedRequest[] =>
  alerts.requests.filter(
    ({ event }) => event.type === `alert.${kind}` && (event.data['state'] as string) === state,
  );

/** Makes each alert's last notification older by this interval. */
const ageAlerts = (time: string) =>
  instance.sql(`UPDATE alerts SET told_at = told_at - $1::interval`, [time]);

/** Adds a dead letter that failed just now. @returns the time, in ms since the epoch */
async function addDeadLetter(endpointId: string): Promise<number> {
  const at = Date.now();
  const { projectId } = instance.credentials;
  await seedDeliveries(instance, [
    { endpointId, projectId, state: 'failed', finishedAt: at, attempts: [{ at, status: 500 }] },
  ]);
  return at;
}

/** Returns a channel's alert log, newest first. */
async function readLog(channel: string): Promise<Record<string, any>[]> {
  const { body } = await (await insertOperator(instance, 'viewer')).request('GET', '/health/alerts');
  return (body.data as Record<string, any>[]).filter((entry) => entry['channel'] === channel);
}

/** Attempts to send all waiting emails immediately, despite the pause after their last attempt. */
const sendMails = async (): Promise<void> => {
  await instance.sql(`UPDATE mails SET next_try_at = now() WHERE state = 'pending'`);
  await listWorkers()[0]!.runJob('MailSender');
};
/** Makes all emails older by this interval. */
const ageMails = (time: string) =>
  instance.sql(
    `UPDATE mails SET created_at = created_at - $1::interval, finished_at = finished_at - $1::interval`,
    [time],
  );

const readAlertSecret = async (): Promise<string> => {
  const command = [`${process.cwd()}/dist/programs/gatehouse.js`, 'alert-secret'];
  // DATABASE_URL is empty because the command does not use the database.
  const env = { ...instance.env, DATABASE_URL: '', MIGRATE_DATABASE_URL: '' };
  return (await promisify(execFile)(process.execPath, command, { env })).stdout.trim();
};

describe('alerts', () => {
  it('are signed, sent once per channel however many workers run, and repeated after a day', async () => {
    const { id } = await instance.createEndpoint(target.url, ['customer.deleted']);
    await checkAlerts();
    expect(alerts.requests).toEqual([]);

    const failedAt = await addDeadLetter(id);
    await checkAlerts();
    await checkAlerts();
    expect(alerts.requests).toHaveLength(1);
    const [alert] = listAlerts('dead_letters');
    expect(alert!.path).toBe('/hook?token=of-the-operator');
    const body = new Webhook(await readAlertSecret()).verify(
      alert!.body,
      alert!.headers as Record<string, string>,
    ) as Record<string, unknown>;
    expect(body).toMatchObject({
      type: 'alert.dead_letters',
      data: {
        kind: 'dead_letters',
        state: 'open',
        count: 1,
        since: new Date(failedAt).toISOString(),
        public_url: instance.baseUrl,
      },
    });
    expect(body['text']).toContain(`Gatehouse at ${instance.baseUrl}: 1 dead letter, the oldest`);
    expect(body['text']).toContain(new Date(failedAt).toISOString());
    expect(outgoing.mails).toHaveLength(1);
    const [mail] = outgoing.mails;
    expect(mail!.to).toEqual(['ops@example.com']);
    expect(decodeQuotedPrintable(mail!.text)).toMatch(
      /Subject: \[Gatehouse\] Dead letters[^]*1 dead letter, the oldest/,
    );

    // A second dead letter is reported only after the pause, even by a worker that has just started.
    await addDeadLetter(id);
    await listWorkers()[0]!.stop('SIGKILL');
    instance.startWorker();
    await instance.waitUntilReady();
    await checkAlerts();
    await ageAlerts('14 minutes');
    await checkAlerts();
    expect(alerts.requests).toHaveLength(1);
    await ageAlerts('1 minute');
    await checkAlerts();
    expect(alerts.requests).toHaveLength(2);
    const second = listAlerts('dead_letters')[1]!;
    expect(second.event.data['count']).toBe(2);
    expect(second.headers['webhook-id']).not.toBe(alert!.headers['webhook-id']);
    expect(outgoing.mails).toHaveLength(2);

    // Without new dead letters, a reminder is sent after a day.
    await ageAlerts('23 hours');
    await checkAlerts();
    expect(alerts.requests).toHaveLength(2);
    await ageAlerts('1 hour');
    await checkAlerts();
    expect(listAlerts('dead_letters')).toHaveLength(3);

    const logs = instance.api.output + instance.workers.map(({ output }) => output).join('');
    expect(logs).toContain('alert sent');
    expect(logs).not.toContain('of-the-operator');
  });

  it('are logged once if no channel is set, without unknown kinds and disabled email', async () => {
    const env = { ALERT_WEBHOOK_URL: '', ALERT_EMAIL: '', SMTP_URL: '' };
    await withWorkers(2, env, async (workers) => {
      await instance.register();
      await ageMails('2 days');
      await sendMails();
      expect(await instance.sql('SELECT reason FROM mails')).toEqual([{ reason: 'expired' }]);
      await checkAlerts();
      const operator = await insertOperator(instance);
      const listOpen = async () => (await operator.request('GET', '/health')).body.openAlerts;
      expect(await listOpen()).toEqual([]);

      await instance.sql(
        `INSERT INTO alerts (id, kind, channel, is_open) VALUES (gen_random_uuid(), 'unknown', 'log', true)`,
      );
      const { id } = await instance.createEndpoint(target.url, ['customer.deleted']);
      await addDeadLetter(id);
      await checkAlerts();
      expect(await listOpen()).toEqual(['dead_letters']);
      await instance.sql('DELETE FROM deliveries');
      await checkAlerts();
      expect(await listOpen()).toEqual([]);
      const log = () => workers.flatMap((worker) => worker.log);
      const alertLines = () => log().filter(({ kind }) => kind !== undefined);
      await eventually('both lines', () => alertLines().length >= 2);
      // Different workers may have logged them.
      expect(
        alertLines().sort((a, b) => String(a['message']).localeCompare(String(b['message']))),
      ).toMatchObject([
        { level: 'warn', message: 'alert opened', kind: 'dead_letters', count: 1 },
        { level: 'info', message: 'alert resolved', kind: 'dead_letters' },
      ]);
      expect(log().filter(({ message }) => message === 'alert check failed')).toEqual([]);

      await operator.request('POST', '/health/test-alert', { channel: 'email' });
      await checkAlerts();
      expect((await readLog('email'))[0]).toMatchObject({
        outcome: 'failed',
        reason: "ALERT_EMAIL is not set in the worker's environment",
      });
    });
  });

  it('report endpoints disabled for failing and their recovery, but not those disabled manually', async () => {
    const { id } = await instance.createEndpoint(target.url);
    const disable = (reason: string | null) =>
      instance.sql(
        `UPDATE webhook_endpoints SET status = CASE WHEN $1::text IS NULL THEN 'enabled' ELSE 'disabled' END,
           disabled_reason = $1, disabled_at = CASE WHEN $1::text IS NOT NULL THEN now() END
         WHERE id = $2`,
        [reason, id.slice('ep_'.length)],
      );
    for (const reason of ['manual', 'failing', null]) {
      await disable(reason);
      await checkAlerts();
    }
    await checkAlerts();
    expect(
      alerts.requests.map(({ event }) => [event.type, event.data['state'], event.data['count']]),
    ).toEqual([
      ['alert.disabled_endpoints', 'open', 1],
      ['alert.disabled_endpoints', 'over', expect.anything()],
    ]);
    const sent = { kind: 'disabled_endpoints', outcome: 'sent', reason: null, attempts: 1 };
    expect(await readLog('webhook')).toMatchObject([
      { ...sent, state: 'over', count: null, resolvedAt: null },
      { ...sent, state: 'open', count: 1, resolvedAt: expect.any(String) },
    ]);
  });

  it('report a delivery that has been due for 30 s without an attempt, and its recovery', async () => {
    const hanging: (() => void)[] = [];
    target.defaultResponder = (response) => void hanging.push(() => response.end());
    await instance.createEndpoint(target.url, ['customer.created']);
    const { length: capacity } = listWorkers();
    for (let index = 0; index < capacity; index += 1) await instance.register();
    await eventually('the deliveries that take all capacity', () => hanging.length === capacity);
    await instance.register();
    await checkAlerts();
    expect(alerts.requests).toEqual([]);
    const [row] = await instance.sql<{ next_attempt_at: Date }>(
      `UPDATE deliveries SET next_attempt_at = date_trunc('milliseconds', now() - interval '31 s')
       WHERE lease_until IS NULL AND attempt = 0 RETURNING next_attempt_at`,
    );
    await checkAlerts();
    expect(listAlerts('overdue_deliveries').map(({ event }) => event.data)).toMatchObject([
      { count: 1, since: row!.next_attempt_at.toISOString() },
    ]);
    target.defaultResponder = respondWithStatus(200);
    hanging.forEach((respond) => respond());
    await eventually('the last delivery', () => target.requests.length === capacity + 1);
    await checkAlerts();
    expect(listAlerts('overdue_deliveries', 'over')).toHaveLength(1);
  });

  it('MQ-01: report emails that a project limit dropped within an hour, and the recovery', async () => {
    const customer = (await instance.register()).body.customer.id as string;
    const insertDropped = (reason: string) =>
      instance.sql(
        `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, reason)
         VALUES (gen_random_uuid(), $1, $2, 'verify-email', 'ada@example.com', 'dropped', $3)`,
        [instance.credentials.projectId, customer, reason],
      );
    for (const reason of ['too_soon', 'recipient_limit']) await insertDropped(reason);
    await checkAlerts();
    expect(alerts.requests).toEqual([]);
    await insertDropped('project_limit');
    await checkAlerts();
    await instance.sql(`UPDATE mails SET created_at = created_at - interval '1 hour'`);
    await checkAlerts();
    expect(
      alerts.requests.map(({ event }) => [event.type, event.data['state'], event.data['count']]),
    ).toEqual([
      ['alert.dropped_emails', 'open', 1],
      ['alert.dropped_emails', 'over', 0],
    ]);
  });

  describe('the alert mail_delivery_failing', () => {
    const alertStates = () =>
      alerts.requests.map(({ event }) => [event.type, event.data['state'], event.data['count']]);
    const opened = (count: number) => ['alert.mail_delivery_failing', 'open', count];
    const resolved = ['alert.mail_delivery_failing', 'over', 0];
    const register = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) expect((await instance.register()).status).toBe(201);
    };
    it('is sent through a separate mail server after seven minutes, and ends at an accepted email', async () => {
      const METRICS_PORT = String(await freePort());
      const separate = new MailServer();
      await separate.start();
      await withWorkers(1, { METRICS_PORT, ALERT_SMTP_URL: separate.url }, async ([worker]) => {
        await register(1);
        await sendMails();
        expect(outgoing.mails).toHaveLength(1);
        await outgoing.stop();
        await register(15);
        await sendMails();
        await checkAlerts();
        expect(alertStates()).toEqual([]);

        await ageMails('7 minutes');
        await checkAlerts();
        await checkAlerts();
        expect(alertStates()).toEqual([opened(15)]);
        const scrape = await Scrape.load(METRICS_PORT);
        expect(scrape.value('gatehouse_mails_failing')).toBe(15);
        expect(scrape.value('gatehouse_mails_oldest_pending_seconds')).toBeGreaterThanOrEqual(420);
        const logged = () =>
          worker!.log.filter(({ message }) => ['alert opened', 'alert resolved'].includes(String(message)));
        await eventually('the log message', () => logged().length === 1);
        expect(logged()).toMatchObject([
          { level: 'warn', message: 'alert opened', kind: 'mail_delivery_failing', count: 15 },
        ]);

        // The remaining emails have expired and are never sent, so the end of the outage does not resolve the alert.
        await ageMails('7 days');
        await outgoing.start();
        await sendMails();
        expect(await instance.sql(`SELECT DISTINCT reason FROM mails WHERE state <> 'sent'`)).toEqual([
          { reason: 'expired' },
        ]);
        await checkAlerts();
        expect(alertStates()).toEqual([opened(15)]);

        await register(1);
        await sendMails();
        await checkAlerts();
        expect(alertStates()).toEqual([opened(15), resolved]);
        await eventually('the second log message', () => logged().length === 2);
        const subjects = separate.mails.map(({ text }) => /^Subject: (.+)$/m.exec(text)![1]);
        expect(subjects).toEqual([
          '[Gatehouse] Email delivery failing',
          '[Gatehouse] Email delivery failing: resolved',
        ]);
        expect(outgoing.mails).toHaveLength(2);
      });
      await separate.stop();
    });

    it('is opened by three rejected recipients, not two, and never sent through the failing server', async () => {
      outgoing.postponesRecipients = true;
      await register(2);
      await sendMails();
      await sendMails();
      await ageMails('1 hour');
      await checkAlerts();
      expect(alertStates()).toEqual([]);
      await register(1);
      await sendMails();
      await ageMails('6 minutes');
      await checkAlerts();
      expect(alertStates()).toEqual([opened(3)]);

      outgoing.postponesRecipients = false;
      await sendMails();
      await checkAlerts();
      expect(alertStates()).toEqual([opened(3), resolved]);

      // Permanently rejected emails are not waiting for another attempt.
      outgoing.rejectsRecipients = true;
      await ageAlerts('15 minutes');
      await register(2);
      await sendMails();
      await checkAlerts();
      expect(alertStates()).toHaveLength(2);
      await register(1);
      await sendMails();
      await checkAlerts();
      expect(alertStates()).toEqual([opened(3), resolved, opened(3)]);
      expect(await readLog('email')).toEqual([]);
    });
  });

  it('MF-07: report projects with over 1,000 wrong email codes in an hour, and the recovery', async () => {
    const addGuesses = (guesses: number, minutes: number) =>
      instance.sql(
        `INSERT INTO email_code_guesses (project_id, began_at, guesses)
         VALUES ($1, now() - $2::int * interval '1 minute', $3)`,
        [instance.credentials.projectId, minutes, guesses],
      );
    await addGuesses(1_000, 50);
    await checkAlerts();
    expect(alerts.requests).toEqual([]);
    await addGuesses(1, 1);
    await checkAlerts();
    await instance.sql(`UPDATE email_code_guesses SET began_at = began_at - interval '11 minutes'`);
    await checkAlerts();
    expect(
      alerts.requests.map(({ event }) => [event.type, event.data['state'], event.data['count']]),
    ).toEqual([
      ['alert.guessed_email_codes', 'open', 1],
      ['alert.guessed_email_codes', 'over', 0],
    ]);
  });

  it('report problems found by processes until they are solved or the processes have stopped', async () => {
    const insertProblem = (kind: string, detail: string) =>
      instance.sql(
        `INSERT INTO process_problems (process_id, kind, service, host, detail)
         VALUES (gen_random_uuid(), $1, 'api', 'api-1', $2)`,
        [kind, detail],
      );
    await insertProblem('clock_skew', '3 s ahead');
    await insertProblem('clock_skew', '4 s behind');
    await insertProblem('two_writable_hosts', 'db-1:5432, db-2:5432');
    await checkAlerts();
    const viewer = await insertOperator(instance, 'viewer');
    expect((await viewer.request('GET', '/health')).body).toMatchObject({
      openAlerts: ['clock_skew', 'two_writable_hosts'],
      processProblems: [
        { kind: 'clock_skew', service: 'api', host: 'api-1', since: expect.any(String) },
        { kind: 'clock_skew' },
        { kind: 'two_writable_hosts', detail: 'db-1:5432, db-2:5432' },
      ],
    });
    await instance.sql(`UPDATE process_problems SET seen_at = now() - interval '3 minutes'`);
    await checkAlerts();
    expect((await viewer.request('GET', '/health')).body.processProblems).toEqual([]);
    const sent = alerts.requests.map(
      ({ event }) => `${event.type} ${event.data['state']} ${event.data['count']}`,
    );
    expect(sent.sort()).toEqual([
      'alert.clock_skew open 2',
      'alert.clock_skew over 0',
      'alert.two_writable_hosts open 1',
      'alert.two_writable_hosts over 0',
    ]);
  });

  it('stay open if they come from a later version, and do not prevent other alerts', async () => {
    await instance.sql(
      `INSERT INTO alerts (id, kind, channel, told_at, is_open)
       VALUES (gen_random_uuid(), 'of_a_later_version', 'webhook', now(), true)`,
    );
    const { id } = await instance.createEndpoint(target.url, ['customer.deleted']);
    await addDeadLetter(id);
    await checkAlerts();
    expect(alerts.requests.map(({ event }) => event.type)).toEqual(['alert.dead_letters']);
  });

  it('keep their id when resent, do not follow redirects and do not block deliveries', async () => {
    const redirectTarget = await Receiver.start();
    let redirect: (() => void) | undefined;
    alerts.respondWith((response) => {
      redirect = () => response.writeHead(307, { location: redirectTarget.url }).end();
    });
    const { id } = await instance.createEndpoint(target.url, ['customer.created']);
    await addDeadLetter(id);
    const firstCheck = checkAlerts();
    await eventually('the alert', () => redirect);
    await instance.register();
    await eventually('the delivery', () => target.requests[0]?.response?.status === 200);
    redirect!();
    await firstCheck;
    const failure = { message: 'alert delivery failed', channel: 'webhook', kind: 'dead_letters' };
    const failures = () =>
      listWorkers()
        .flatMap(({ log }) => log)
        .filter(({ message, kind }) => message === failure.message && kind === failure.kind);
    await eventually('the log message', () => failures().length > 0);
    expect(failures()).toMatchObject([failure]);
    const logged = { kind: 'dead_letters', state: 'open', count: 1, resolvedAt: null };
    const reason = 'ALERT_WEBHOOK_URL responded with status 307';
    expect(await readLog('webhook')).toMatchObject([{ ...logged, outcome: 'failed', reason, attempts: 1 }]);
    await checkAlerts();
    expect(alerts.requests).toHaveLength(1);
    await instance.sql(`UPDATE alerts SET claimed_until = claimed_until - interval '1 minute'`);
    await checkAlerts();
    const [first, second] = listAlerts('dead_letters');
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(await readLog('webhook')).toMatchObject([
      { ...logged, outcome: 'sent', reason: null, attempts: 2 },
    ]);
    expect(redirectTarget.requests).toHaveLength(0);
    await redirectTarget.stop();
  });

  it('include test alerts that a worker sends on request, and log their outcome without the URL', async () => {
    const admin = await insertOperator(instance);
    const sendTest = async (channel: string): Promise<Record<string, any>[]> => {
      expect((await admin.request('POST', '/health/test-alert', { channel })).status).toBe(202);
      expect((await readLog(channel))[0]).toMatchObject({ kind: 'test', outcome: 'queued', attempts: 0 });
      await checkAlerts();
      return readLog(channel);
    };
    expect((await sendTest('webhook'))[0]).toMatchObject({ state: 'test', outcome: 'sent', attempts: 1 });
    expect(alerts.requests.map(({ event }) => event.type)).toEqual(['alert.test']);
    alerts.respondWith(respondWithStatus(404));
    const [failed] = await sendTest('webhook');
    expect(failed).toMatchObject({
      outcome: 'failed',
      reason: 'ALERT_WEBHOOK_URL responded with status 404',
    });
    expect(JSON.stringify(failed)).not.toContain('of-the-operator');
    const viewer = await insertOperator(instance, 'viewer');
    expect((await viewer.request('POST', '/health/test-alert', { channel: 'email' })).status).toBe(403);

    // If a worker is killed before it has recorded the outcome, another one resends the test after a minute.
    await admin.request('POST', '/health/test-alert', { channel: 'webhook' });
    await instance.sql(`UPDATE alert_log SET attempts = 1, attempted_at = now() WHERE outcome = 'queued'`);
    await checkAlerts();
    expect(alerts.requests).toHaveLength(2);
    await instance.sql(
      `UPDATE alert_log SET attempted_at = now() - interval '61 s' WHERE outcome = 'queued'`,
    );
    await checkAlerts();
    expect(alerts.requests).toHaveLength(3);
  });

  it('reach an operator within a minute, even after a failed check', async () => {
    const { interval, overdueAfter } = loadConfig(instance.env).alerts;
    expect(interval + overdueAfter).toBeLessThan(60_000);
    const { id } = await instance.createEndpoint(target.url, ['customer.deleted']);
    await instance.sql('ALTER TABLE alerts RENAME TO alerts_away');
    let worker: ServerProcess;
    try {
      worker = instance.startWorker({ PERIODIC_JOBS: 'on', TIME_SCALE: '100' });
      await instance.waitUntilReady();
      await addDeadLetter(id);
      await eventually('the failed check', () =>
        worker.log.some(({ message }) => message === 'alert check failed'),
      );
    } finally {
      await instance.sql('ALTER TABLE alerts_away RENAME TO alerts');
    }
    await eventually('the alert', () => listAlerts('dead_letters')[0]);
    await worker.stop('SIGKILL');
  });
});
