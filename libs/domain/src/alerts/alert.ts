/** The kinds of trouble that alert operators (contract, section 6). */
export const troubleKinds = ['dead_letters', 'overdue_deliveries', 'disabled_endpoints'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** The channels that alerts are sent to. */
export const alertChannels = ['webhook', 'email'] as const;
export type AlertChannel = (typeof alertChannels)[number];

/** The count stops here: a larger number would not change what to do. */
export const MOST_COUNTED = 1_000;

/** A current problem. */
export interface Trouble {
  kind: TroubleKind;
  /** At least 1, at most MOST_COUNTED. */
  count: number;
  since: Date;
  /** Start of the newest of them. If it is later than at the last alert, another alert is sent. */
  newest: Date;
}

interface Words {
  subject: string;
  /** @param count as a word of the sentence @param since in ISO 8601 */
  open: (count: string, isOne: boolean, since: string) => string;
  remedy: string;
  over: string;
}

const words: Record<TroubleKind, Words> = {
  dead_letters: {
    subject: 'Dead letters',
    open: (count, isOne, since) =>
      `${count} dead ${isOne ? 'letter' : 'letters'}, the oldest since ${since}: all five delivery attempts failed.`,
    remedy:
      'Redeliver or discard them; until then they are kept. GET /v1/webhooks/dead-letters lists them with the error of the last attempt.',
    over: 'There are no more dead letters.',
  },
  overdue_deliveries: {
    subject: 'Overdue deliveries',
    open: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'delivery is' : 'deliveries are'} overdue, the oldest since ${since}.`,
    remedy:
      'An endpoint responds more slowly than events occur, or there are too few workers. Check which endpoint is affected, then add workers or raise WEBHOOK_CONCURRENCY.',
    over: 'There are no more overdue deliveries.',
  },
  disabled_endpoints: {
    subject: 'Disabled endpoints',
    open: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'endpoint has' : 'endpoints have'} been disabled because every delivery failed for three days, the first since ${since}.`,
    remedy:
      'Disabled endpoints receive nothing. When the receiver works again, enable the endpoint and call its recover route to deliver all missed events.',
    over: 'There are no more endpoints disabled because of failures.',
  },
};

/**
 * Returns the text of an alert: the problem, its extent, its start and what to do.
 * @param trouble null when it is resolved
 */
export function alertText(
  kind: TroubleKind,
  trouble: Trouble | null,
  publicUrl: string,
): { subject: string; text: string } {
  const { subject, open, remedy, over } = words[kind];
  if (!trouble) return { subject: `${subject}: resolved`, text: `Gatehouse at ${publicUrl}: ${over}` };
  const { count, since } = trouble;
  const counted = count < MOST_COUNTED ? String(count) : `At least ${MOST_COUNTED}`;
  const text = open(counted, count === 1, since.toISOString());
  return {
    subject,
    text: `Gatehouse at ${publicUrl}: ${text} ${remedy} See docs/operations.md.`,
  };
}
