/** The kinds of problems about which operators are alerted (contract, section 6). */
export const alertKinds = [
  'dead_letters',
  'overdue_deliveries',
  'disabled_endpoints',
  'mail_delivery_failing',
  'dropped_emails',
  'guessed_email_codes',
  'clock_skew',
  'two_writable_hosts',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** The kinds of problems that each process detects itself, because the database does not contain them. */
export const processProblemKinds = ['clock_skew', 'two_writable_hosts'] as const satisfies AlertKind[];
export type ProcessProblemKind = (typeof processProblemKinds)[number];

/** The channels through which alerts are sent. */
export const alertChannels = ['webhook', 'email'] as const;
export type AlertChannel = (typeof alertChannels)[number];

/** An alert's destination: a configured channel, or the worker's log. */
export type AlertDestination = AlertChannel | 'log';

/** The states in the alert log: a problem has started (`open`), a problem is over, or a test was sent. */
export const alertLogStates = ['open', 'over', 'test'] as const;
export type AlertLogState = (typeof alertLogStates)[number];

export const alertLogKinds = [...alertKinds, 'test'] as const;
export type AlertLogKind = (typeof alertLogKinds)[number];

/** The outcome of the last attempt to send a message. `queued`: a test that no worker has sent yet. */
export const alertOutcomes = ['queued', 'sent', 'failed'] as const;
export type AlertOutcome = (typeof alertOutcomes)[number];

/** Maximum count in an alert. A larger number would not change what an operator has to do. */
export const COUNT_CAP = 1_000;

/** A current problem. */
export interface AlertCondition {
  kind: AlertKind;
  /** From 1 to COUNT_CAP. */
  count: number;
  since: Date;
  /** The newest occurrence's start time. If it is later than the last alert, another alert is sent. */
  newest: Date;
}

interface AlertTexts {
  subject: string;
  /**
   * @param count the count as a string
   * @param since time in ISO 8601
   */
  describe: (count: string, isOne: boolean, since: string) => string;
  remedy: string;
  resolved: string;
}

const alertTexts: Record<AlertKind, AlertTexts> = {
  dead_letters: {
    subject: 'Dead letters',
    describe: (count, isOne, since) =>
      `${count} dead ${isOne ? 'letter' : 'letters'}, the oldest since ${since}: all five delivery attempts failed.`,
    remedy:
      'Redeliver or discard them. They do not expire. GET /v1/webhooks/dead-letters lists them with the error of the last attempt.',
    resolved: 'There are no more dead letters.',
  },
  overdue_deliveries: {
    subject: 'Overdue deliveries',
    describe: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'delivery is' : 'deliveries are'} overdue, the oldest since ${since}.`,
    remedy:
      'An endpoint responds too slowly for the number of its events, or there are too few workers. Check which endpoint is affected, then add workers or raise WEBHOOK_CONCURRENCY.',
    resolved: 'There are no more overdue deliveries.',
  },
  disabled_endpoints: {
    subject: 'Disabled endpoints',
    describe: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'endpoint has' : 'endpoints have'} been disabled because every delivery failed for three days, the first since ${since}.`,
    remedy:
      'Disabled endpoints receive nothing. When the receiver works again, enable the endpoint and call its recover route to deliver all missed events.',
    resolved: 'There are no more endpoints disabled because of failures.',
  },
  mail_delivery_failing: {
    subject: 'Email delivery failing',
    describe: (count, isOne, since) =>
      `${count} ${isOne ? 'email' : 'emails'} could not be sent since ${since}, and the mail server has accepted none in this time.`,
    remedy:
      'Customers do not receive links and codes. Check SMTP_URL and the mail server: the log of emails shows its last response, and doctor tests the connection. Then send a test email from the health page of the console.',
    resolved: 'There are no more failing emails: the mail server has accepted an email.',
  },
  dropped_emails: {
    subject: 'Dropped emails',
    describe: (count, isOne, since) =>
      `${count} ${isOne ? 'email of the last hour was' : 'emails of the last hour were'} dropped because a project reached its limit, the first at ${since}.`,
    remedy:
      'Check for automated registrations: the log of emails shows the recipients. If the registrations are genuine, raise mailLimits in the settings of the project.',
    resolved: "There are no more emails that were dropped in the last hour because of a project's limit.",
  },
  guessed_email_codes: {
    subject: 'Guessed email codes',
    describe: (count, isOne, since) =>
      `${count} ${isOne ? 'project' : 'projects'} received more than 1,000 wrong email codes within an hour, the first at ${since}.`,
    remedy:
      'Someone is guessing codes. New codes have eight digits until it stops. Block the networks of the requests at the proxy.',
    resolved: 'There are no more projects that receive more than 1,000 wrong email codes within an hour.',
  },
  clock_skew: {
    subject: 'Clock skew',
    describe: (count, isOne, since) =>
      `${count} ${isOne ? 'process has a clock that differs' : 'processes have clocks that differ'} from the clock of PostgreSQL by two seconds or more, the first since ${since}.`,
    remedy:
      'Synchronize the clocks of all machines with NTP. The health page of the console names the processes.',
    resolved: 'There are no more processes whose clock differs from the clock of PostgreSQL.',
  },
  two_writable_hosts: {
    subject: 'Two writable database hosts',
    describe: (count, isOne, since) =>
      `${count} ${isOne ? 'process has' : 'processes have'} found more than one host in DATABASE_URL that accepts writes, the first at ${since}. Data is being split between them.`,
    remedy:
      'Stop PostgreSQL on the former primary at once, and do not let it start again except as a standby. The health page of the console names the hosts.',
    resolved: 'There are no more processes that find several writable hosts in DATABASE_URL.',
  },
};

/**
 * Returns the alert message: the problem, its extent, its start and the remedy.
 * @param condition null if the problem is resolved
 */
export function alertText(
  kind: AlertKind,
  condition: AlertCondition | null,
  publicUrl: string,
): { subject: string; text: string } {
  const { subject, describe, remedy, resolved } = alertTexts[kind];
  if (!condition) return { subject: `${subject}: resolved`, text: `Gatehouse at ${publicUrl}: ${resolved}` };
  const { count, since } = condition;
  const counted = count < COUNT_CAP ? String(count) : `At least ${COUNT_CAP}`;
  const text = describe(counted, count === 1, since.toISOString());
  return {
    subject,
    text: `Gatehouse at ${publicUrl}: ${text} ${remedy} See docs/operations/alerts.md.`,
  };
}

/** Returns the test alert message. */
export const testAlertText = (publicUrl: string): { subject: string; text: string } => ({
  subject: 'Test alert',
  text: `Gatehouse at ${publicUrl}: This is a test alert. An operator sent it from the console. No action is required.`,
});

/** The audit log actions for alerts. */
export const alertActions = ['alert.tested'] as const;
