/** What an operator is told of (contract, section 6). */
export const troubleKinds = ['dead_letters', 'overdue_deliveries', 'disabled_endpoints'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** Where they are told. */
export const alertChannels = ['webhook', 'email'] as const;
export type AlertChannel = (typeof alertChannels)[number];

/** Beyond that nobody counts on: more of them say nothing new. */
export const MOST_COUNTED = 1_000;

/** What is wrong right now. */
export interface Trouble {
  kind: TroubleKind;
  /** At least 1, at most MOST_COUNTED. */
  count: number;
  since: Date;
  /** When the youngest of them began: later than it was at the last message, it is news. */
  newest: Date;
}

interface Words {
  subject: string;
  /** @param count as a word of the sentence @param since in ISO 8601 */
  open: (count: string, isOne: boolean, since: string) => string;
  cure: string;
  over: string;
}

const words: Record<TroubleKind, Words> = {
  dead_letters: {
    subject: 'Dead letters',
    open: (count, isOne, since) =>
      `${count} dead ${isOne ? 'letter waits' : 'letters wait'}, the oldest since ${since}: all five attempts at delivery failed.`,
    cure: 'They are kept until somebody redelivers or discards them. GET /v1/webhooks/dead-letters lists them with the error of the last attempt.',
    over: 'No dead letter waits any more.',
  },
  overdue_deliveries: {
    subject: 'Overdue deliveries',
    open: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'delivery is' : 'deliveries are'} overdue, the oldest since ${since}.`,
    cure: 'Either an endpoint answers more slowly than events come, or there are too few workers: see which endpoint they are for, then add workers or raise WEBHOOK_CONCURRENCY.',
    over: 'No delivery is overdue any more.',
  },
  disabled_endpoints: {
    subject: 'Disabled endpoints',
    open: (count, isOne, since) =>
      `${count} webhook ${isOne ? 'endpoint has' : 'endpoints have'} been disabled after three days of nothing but failure, the first at ${since}.`,
    cure: 'Nothing is sent there. Once the target is mended, enable the endpoint and call its recover: that brings back everything it missed.',
    over: 'No endpoint is disabled for failing any more.',
  },
};

/**
 * What a message says: what, how many, since when, what to do.
 * @param trouble null when it is over
 */
export function alertText(
  kind: TroubleKind,
  trouble: Trouble | null,
  publicUrl: string,
): { subject: string; text: string } {
  const { subject, open, cure, over } = words[kind];
  if (!trouble) return { subject: `${subject}: over`, text: `Gatehouse at ${publicUrl}: ${over}` };
  const { count, since } = trouble;
  const counted = count < MOST_COUNTED ? String(count) : `At least ${MOST_COUNTED}`;
  const text = open(counted, count === 1, since.toISOString());
  return {
    subject,
    text: `Gatehouse at ${publicUrl}: ${text} ${cure} More in docs/operations.md.`,
  };
}
