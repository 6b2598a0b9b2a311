import type { Schemas } from '../http/client';
import { mailKinds } from '../mails/mail-kinds';
import type { IconName } from '../components/icon';
import { signInFailures } from './sign-in-failures';
import { mailProblem } from '../mails/mail-log';
import labels from './timeline-labels.json';

export type TimelineEntry = Schemas['TimelineEntryResponse'];
export type TimelineDelivery = Schemas['TimelineDeliveryResponse'];

/** The labels for the entry kinds. */
export const timelineKinds: Record<TimelineEntry['kind'], string> = {
  sign_in: 'Sign-ins',
  session: 'Sessions',
  account: 'Account',
  security: 'Security',
  mail: 'Emails',
  webhook: 'Webhooks',
};

export const kindIcons: Record<TimelineEntry['kind'], IconName> = {
  sign_in: 'key',
  session: 'screen',
  account: 'customer',
  security: 'lock',
  mail: 'mail',
  webhook: 'delivery',
};

/** Labels for authentication methods. Values that only add to another method, such as `mfa` and `user`, have none. */
const methodLabels: Record<string, string> = {
  pwd: 'password',
  email: 'email code',
  fed: 'identity provider',
  otp: 'second factor',
  hwk: 'passkey',
  swk: 'passkey',
  support: 'sign-in token',
};

const sessionEndLabels: Record<string, string> = {
  logout: 'Signed out',
  revoked: 'Session revoked',
  password_changed: 'Session ended: password changed',
  password_reset: 'Session ended: password reset',
  customer_disabled: 'Session ended: customer disabled',
  reuse_detected: 'Session ended: refresh token reused',
  session_limit: 'Session ended: too many sessions',
  disowned: 'Session ended: email address disowned',
  factor_removed: 'Session ended: second factor removed',
  address_claimed: 'Session ended: email address verified by another person',
  identity_removed: 'Session ended: identity removed',
  sso_required: 'Session ended: an identity provider is required',
};

/** The sentences for events and actions that do not depend on the details of an entry. */
const sentences: Record<string, string> = {
  'customer.imported': 'Created in another system and imported',
  ...labels,
};

const stringDetail = (details: TimelineEntry['details'], name: string): string => {
  const value = details[name];
  return typeof value === 'string' ? value : '';
};

const stringListDetail = (details: TimelineEntry['details'], name: string): string[] => {
  const value = details[name];
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
};

/** Returns a sentence that describes an entry. Types that only a newer server returns are shown by name. */
export function describeEntry(entry: TimelineEntry): string {
  const { kind, type, mail, details } = entry;
  if (mail) return `${mailKinds[type] ?? type} email ${mail.state}`;
  if (kind === 'webhook') return describeWebhook(entry);
  switch (type) {
    case 'login.succeeded':
      return `Signed in with ${listMethods(details)}${entry.device ? ` from ${entry.device}` : ''}`;
    case 'login.failed':
      return `Sign-in failed: ${failureReason(stringDetail(details, 'reason'))}`;
    case 'session.revoked':
      return sessionEndLabels[stringDetail(details, 'reason')] ?? 'Session ended';
    case 'customer.sessions_revoked':
      return details['sessions'] === 1
        ? 'Session revoked'
        : `${String(details['sessions'])} sessions revoked`;
    case 'customer.updated':
      return `Profile updated: ${stringListDetail(details, 'changed').join(', ') || 'no fields'}`;
    case 'customer.identity_linked':
      return `Identity at ${stringDetail(details, 'provider')} linked`;
    case 'customer.identity_unlinked':
      return `Identity at ${stringDetail(details, 'provider')} unlinked`;
    default:
      return sentences[type] ?? type;
  }
}

/** Returns the reason for a failed sign-in. Events from earlier versions have none. */
const failureReason = (reason: string): string =>
  (signInFailures as Record<string, string | undefined>)[reason]?.toLowerCase() ??
  (reason.replaceAll('_', ' ') || 'wrong password or code');

function listMethods(details: TimelineEntry['details']): string {
  const provider = stringDetail(details, 'provider');
  const labels = stringListDetail(details, 'methods').flatMap((method) =>
    method === 'fed' && provider ? [provider] : (methodLabels[method] ?? []),
  );
  return [...new Set(labels)].join(' and ') || 'an unknown method';
}

function describeWebhook({ type, deliveries }: TimelineEntry): string {
  const [delivery] = deliveries;
  if (!delivery || deliveries.length > 1) {
    const succeeded = deliveries.filter(({ state }) => state === 'succeeded').length;
    return `${type} delivered to ${succeeded} of ${deliveries.length} endpoints`;
  }
  return `${type} ${describeDelivery(delivery)}`;
}

/** Returns a delivery's outcome: "delivered to Order system after 2 attempts". */
export function describeDelivery({ endpointName, state, attempts }: TimelineDelivery): string {
  const outcomes: Record<string, string> = {
    succeeded: 'delivered to',
    failed: 'not delivered to',
    cancelled: 'canceled before delivery to',
  };
  const suffix = attempts > 0 ? ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : '';
  return `${outcomes[state] ?? 'not yet delivered to'} ${endpointName}${suffix}`;
}

/** Returns further details: why an email was not sent, an operator's reason, the device and the IP address. */
export function entryDetails(entry: TimelineEntry): string[] {
  const { kind, type, mail, details, device, ip } = entry;
  // A sign-in sentence contains the device. For a webhook, the device belongs to the event.
  const hidesDevice = type === 'login.succeeded' || kind === 'webhook';
  return [
    mail && mailProblem(mail),
    entry.source === 'audit_entry' ? stringDetail(details, 'reason') : null,
    supportReason(details),
    details['outcome'] === 'refused' ? 'Refused' : null,
    hidesDevice ? null : device,
    kind === 'webhook' ? null : ip,
  ].filter((text): text is string => text !== null && text !== '');
}

/** Returns the reason for the sign-in token that opened the session, if support performed the action. */
const supportReason = ({ support }: TimelineEntry['details']): string | null =>
  typeof support === 'object' && support !== null
    ? stringDetail(support as TimelineEntry['details'], 'reason')
    : null;

/** Returns true for an entry that reports a failure. */
export const isFailure = ({ type, mail, deliveries }: TimelineEntry): boolean =>
  ['login.failed', 'customer.locked', 'token.reuse_detected', 'passkey.counter_anomaly'].includes(type) ||
  mail?.state === 'failed' ||
  mail?.state === 'dropped' ||
  deliveries.some(({ state, resolution }) => state === 'failed' && resolution === null);

/** Returns the path of the record behind an entry; "" if there is none. */
export function entryPath(entry: TimelineEntry, customerId: string): string {
  const [delivery] = entry.deliveries;
  if (entry.source === 'audit_entry')
    return `/audit?targetType=customer&targetId=${customerId}&entry=${entry.id}`;
  if (entry.source !== 'event') return '';
  return entry.kind === 'webhook' && delivery && entry.deliveries.length === 1
    ? `/deliveries/${delivery.id}`
    : `/events/evt_${entry.id}`;
}
