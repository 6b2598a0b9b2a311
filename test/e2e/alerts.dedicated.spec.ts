import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { MailServer, unquote } from '../support/mail-server.js';
import { status, Receiver, type ReceivedRequest } from '../support/receiver.js';

/** A minute in 6 s, a quarter of an hour in 90. */
const TIME_SCALE = 10;
const MINUTE_MS = 60_000 / TIME_SCALE;

/** Longer than a few looks of the worker, which are 10 s apart before they are scaled. */
const SEVERAL_LOOKS_MS = 3_500;

const scaled = { TIME_SCALE: String(TIME_SCALE), WEBHOOK_RETRY_SCHEDULE: '0s,100ms,100ms,100ms,100ms' };

const ofKind = (receiver: Receiver, kind: string, state = 'open'): ReceivedRequest[] =>
  receiver.requests.filter(
    ({ event }) => event.type === `alert.${kind}` && (event.data['state'] as string) === state,
  );

/** As if so much time had passed since the last message. */
const pass = (instance: TestInstance, hours: number) =>
  instance.sql(`UPDATE alerts SET told_at = told_at - $1 * interval '1 hour'`, [hours / TIME_SCALE]);

const secretOf = async (instance: TestInstance): Promise<string> => {
  const command = [`${process.cwd()}/dist/programs/gatehouse.js`, 'alert-secret'];
  // Without the database: there is nothing in it to read.
  const env = { ...instance.env, DATABASE_URL: '' };
  return (await promisify(execFile)(process.execPath, command, { env })).stdout.trim();
};

describe('alerts, of two workers', () => {
  const mailServer = new MailServer();
  let alerts: Receiver;
  let target: Receiver;
  let instance: TestInstance;

  beforeAll(async () => {
    await mailServer.start();
    [alerts, target] = await Promise.all([Receiver.start(), Receiver.start()]);
    target.otherwise = status(500);
    instance = await TestInstance.start({
      workers: 2,
      env: {
        ...scaled,
        ALERT_WEBHOOK_URL: `${alerts.url}?token=of-the-operator`,
        ALERT_EMAIL: 'Operations <ops@example.com>',
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'Gatehouse <no-reply@example.com>',
      },
    });
    await instance.createEndpoint(target.url, ['customer.created']);
  });
  afterAll(async () => {
    await instance?.stop();
    await Promise.all([alerts?.stop(), target?.stop(), mailServer.stop()]);
  });

  /** Customers get mails too. */
  const mails = () => mailServer.mails.filter(({ to }) => to[0] === 'ops@example.com');

  /** Registers a customer whose event becomes a dead letter. */
  const newDeadLetter = async (): Promise<Date> => {
    const [{ count: before }] = (await instance.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM deliveries WHERE state = 'failed'`,
    )) as [{ count: number }];
    await instance.register();
    return eventually('the dead letter', async () => {
      const rows = await instance.sql<{ finished_at: Date }>(
        `SELECT finished_at FROM deliveries WHERE state = 'failed' ORDER BY finished_at DESC`,
      );
      return rows.length > before && rows[0]!.finished_at;
    });
  };

  it('the first dead letter is told within a minute, once, signed, to program and people', async () => {
    expect(alerts.requests).toHaveLength(0);
    const diedAt = await newDeadLetter();
    const [alert] = await eventually('the alert', () => {
      const found = ofKind(alerts, 'dead_letters');
      return found.length > 0 && found;
    });
    expect(alert!.at - diedAt.getTime()).toBeLessThan(MINUTE_MS);
    expect(alert!.path).toBe('/hook?token=of-the-operator');
    const body = new Webhook(await secretOf(instance)).verify(
      alert!.body,
      alert!.headers as Record<string, string>,
    ) as Record<string, unknown>;
    expect(body).toMatchObject({
      type: 'alert.dead_letters',
      data: {
        kind: 'dead_letters',
        state: 'open',
        count: 1,
        since: diedAt.toISOString(),
        public_url: instance.baseUrl,
      },
    });
    expect(body['text']).toContain(`Gatehouse at ${instance.baseUrl}: 1 dead letter waits`);
    expect(body['text']).toContain(diedAt.toISOString());

    const mail = await eventually('the mail', () => mails()[0]);
    expect(mail.text).toContain('Subject: [Gatehouse] Dead letters');
    expect(mail.text).toContain('From: Gatehouse <no-reply@example.com>');
    expect(unquote(mail.text)).toContain('1 dead letter waits');

    await sleep(SEVERAL_LOOKS_MS);
    expect(ofKind(alerts, 'dead_letters')).toHaveLength(1);
    expect(mails()).toHaveLength(1);
  });

  it('a second one waits for the end of the quarter of an hour, also when all workers were restarted', async () => {
    await newDeadLetter();
    await Promise.all(instance.workers.map((worker) => worker.end('SIGKILL')));
    instance.startWorker();
    await instance.ready();
    await sleep(SEVERAL_LOOKS_MS);
    expect(ofKind(alerts, 'dead_letters')).toHaveLength(1);
    await pass(instance, 1 / 4);
    const second = await eventually('the second alert', () => ofKind(alerts, 'dead_letters')[1]);
    expect(second.event.data['count']).toBe(2);
    expect(second.headers['webhook-id']).not.toBe(ofKind(alerts, 'dead_letters')[0]!.headers['webhook-id']);
    await eventually('the second mail', () => mails().length === 2);
  });

  it('what stands and has been told is told again after a day, not after a quarter of an hour', async () => {
    await pass(instance, 1 / 4);
    await sleep(SEVERAL_LOOKS_MS);
    expect(ofKind(alerts, 'dead_letters')).toHaveLength(2);
    await pass(instance, 24);
    await eventually('the reminder', () => ofKind(alerts, 'dead_letters').length === 3);
  });

  it('a disabled endpoint is told within a minute, and that it is enabled again', async () => {
    const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.deleted']);
    const row = id.replace('ep_', '');
    const at = Date.now();
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', disabled_at = now() WHERE id = $1`,
      [row],
    );
    const alert = await eventually('the alert', () => ofKind(alerts, 'disabled_endpoints')[0]);
    expect(alert.at - at).toBeLessThan(MINUTE_MS);
    expect(alert.event.data['count']).toBe(1);
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'enabled', disabled_reason = NULL, disabled_at = NULL WHERE id = $1`,
      [row],
    );
    await eventually('its end', () => ofKind(alerts, 'disabled_endpoints', 'over').length === 1);
  });

  it('one that somebody has disabled is no trouble', async () => {
    const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.deleted']);
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'manual', disabled_at = now() WHERE id = $1`,
      [id.replace('ep_', '')],
    );
    await pass(instance, 1);
    await sleep(SEVERAL_LOOKS_MS);
    expect(ofKind(alerts, 'disabled_endpoints')).toHaveLength(1);
  });

  it('no line of the log holds the URL', () => {
    const logs = instance.api.output + instance.workers.map(({ output }) => output).join('');
    expect(logs).toContain('alert sent');
    expect(logs).not.toContain('of-the-operator');
  });
});

describe('alerts that do not arrive', () => {
  it('are tried again with the same id, follow no redirect, and hold up no delivery', async () => {
    const [alerts, elsewhere, target] = await Promise.all([
      Receiver.start(),
      Receiver.start(),
      Receiver.start(),
    ]);
    alerts.answer((response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
    });
    target.otherwise = status(500);
    const instance = await TestInstance.start({ env: { ...scaled, ALERT_WEBHOOK_URL: alerts.url } });
    try {
      await instance.createEndpoint(target.url, ['customer.created']);
      await instance.register();
      await eventually('the refusal being logged', () =>
        instance.workers[0]!.log.find(({ message }) => message === 'alert not sent'),
      );
      target.otherwise = status(200);
      await instance.register();
      await eventually('a delivery', () => target.requests.at(-1)?.answered?.status === 200);
      await eventually('the second try', () => ofKind(alerts, 'dead_letters').length === 2);
      const [first, second] = ofKind(alerts, 'dead_letters');
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(elsewhere.requests).toHaveLength(0);
    } finally {
      await instance.stop();
      await Promise.all([alerts.stop(), elsewhere.stop(), target.stop()]);
    }
  });
});

describe('due work that nobody takes up', () => {
  /** The one that hangs does so for 15 s: twice as long as the other has to be due. */
  const SCALE = 4;

  it('is told within a minute, and when it is over', async () => {
    const [alerts, target] = await Promise.all([Receiver.start(), Receiver.start()]);
    const hanging: (() => void)[] = [];
    target.otherwise = (response) => {
      hanging.push(() => response.end());
    };
    const env = {
      ...scaled,
      TIME_SCALE: String(SCALE),
      ALERT_WEBHOOK_URL: alerts.url,
      WEBHOOK_CONCURRENCY: '1',
      WEBHOOK_TIMEOUT: '60s',
    };
    const instance = await TestInstance.start({ env });
    try {
      await instance.createEndpoint(target.url, ['customer.created']);
      await instance.register();
      await instance.register();
      const [row] = await eventually('one waiting for the other', async () => {
        const rows = await instance.sql<{ next_attempt_at: Date }>(
          `SELECT next_attempt_at FROM deliveries WHERE lease_until IS NULL AND attempt = 0`,
        );
        return rows.length === 1 && hanging.length === 1 && rows;
      });
      const alert = await eventually('the alert', () => ofKind(alerts, 'overdue_deliveries')[0]);
      expect(alert.at - row!.next_attempt_at.getTime()).toBeGreaterThan(30_000 / SCALE);
      expect(alert.at - row!.next_attempt_at.getTime()).toBeLessThan(90_000 / SCALE);
      expect(alert.event.data).toMatchObject({ count: 1, since: row!.next_attempt_at.toISOString() });
      target.otherwise = status(200);
      hanging.forEach((answer) => answer());
      await eventually('its end', () => ofKind(alerts, 'overdue_deliveries', 'over').length === 1);
    } finally {
      await instance.stop();
      await Promise.all([alerts.stop(), target.stop()]);
    }
  });
});

describe('alerts while PostgreSQL is away', () => {
  it('are looked for again once it is back', async () => {
    const [alerts, target] = await Promise.all([Receiver.start(), Receiver.start()]);
    target.otherwise = status(500);
    const instance = await TestInstance.start({ env: { ...scaled, ALERT_WEBHOOK_URL: alerts.url } });
    const admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
    await admin.connect();
    const database = new URL(instance.env['DATABASE_URL']!).pathname.slice(1);
    try {
      await instance.createEndpoint(target.url, ['customer.created']);
      await admin.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND application_name = 'gatehouse'`,
        [database],
      );
      const worker = instance.workers[0]!;
      await eventually('a look that failed', () =>
        worker.log.some(({ message }) => message === 'nobody looked for alerts'),
      );
      await admin.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
      await eventually('the instance being back', async () => (await instance.register()).status === 201);
      await eventually('the alert', () => ofKind(alerts, 'dead_letters').length === 1);
      expect(worker.isRunning).toBe(true);
    } finally {
      await admin.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
      await admin.end();
      await instance.stop();
      await Promise.all([alerts.stop(), target.stop()]);
    }
  });
});
