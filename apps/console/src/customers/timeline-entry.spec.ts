import { describeEntry, entryDetails, entryPath, isFailure, type TimelineEntry } from './timeline-entry';

const CUSTOMER = '019aa2c0-7d1e-7000-8000-000000000001';
const ID = '019aa2c0-7d1e-7000-8000-000000000002';

const entry = (more: Partial<TimelineEntry>): TimelineEntry => ({
  id: ID,
  source: 'event',
  kind: 'sign_in',
  type: 'login.succeeded',
  createdAt: '2026-03-02T09:00:00.000Z',
  actor: null,
  device: null,
  ip: null,
  details: {},
  mail: null,
  deliveries: [],
  ...more,
});

const delivery = (more: Partial<TimelineEntry['deliveries'][number]> = {}) => ({
  id: `dlv_${ID}`,
  endpointId: `ep_${ID}`,
  endpointName: 'Order system',
  targetUrl: 'https://orders.example.com/hook',
  state: 'succeeded' as const,
  resolution: null,
  attempts: 2,
  httpStatus: 200,
  error: null,
  ...more,
});

const sentMail = { state: 'sent', reason: null, response: null } as const;

describe('describeEntry', () => {
  it.each<[Partial<TimelineEntry>, string]>([
    [
      { details: { methods: ['pwd', 'otp', 'mfa'], provider: null }, device: 'Firefox on macOS' },
      'Signed in with password and second factor from Firefox on macOS',
    ],
    [{ details: { methods: ['fed'], provider: 'acme' } }, 'Signed in with acme'],
    [{ details: { methods: ['swk', 'user', 'mfa'] } }, 'Signed in with passkey'],
    [{ type: 'login.failed', details: { reason: 'wrong_password' } }, 'Sign-in failed: wrong password'],
    [{ type: 'login.failed', details: { reason: 'new_reason' } }, 'Sign-in failed: new reason'],
    [{ type: 'login.failed' }, 'Sign-in failed: wrong password or code'],
    [{ type: 'session.revoked', details: { reason: 'logout' } }, 'Signed out'],
    [{ type: 'session.revoked', details: { reason: 'new_reason' } }, 'Session ended'],
    [
      { source: 'audit_entry', type: 'customer.updated', details: { changed: ['firstName', 'lastName'] } },
      'Profile updated: firstName, lastName',
    ],
    [
      { source: 'audit_entry', type: 'customer.identity_linked', details: { provider: 'acme' } },
      'Identity at acme linked',
    ],
    [{ source: 'mail', kind: 'mail', type: 'reset-password', mail: sentMail }, 'Password reset email sent'],
    [
      { kind: 'webhook', type: 'customer.updated', deliveries: [delivery()] },
      'customer.updated delivered to Order system after 2 attempts',
    ],
    [
      {
        kind: 'webhook',
        type: 'customer.updated',
        deliveries: [delivery({ state: 'pending', attempts: 0 })],
      },
      'customer.updated not yet delivered to Order system',
    ],
    [
      { kind: 'webhook', type: 'customer.updated', deliveries: [delivery(), delivery({ state: 'failed' })] },
      'customer.updated delivered to 1 of 2 endpoints',
    ],
    [{ source: 'audit_entry', type: 'customer.new_type' }, 'customer.new_type'],
  ])('describes %j as “%s”', (more, sentence) => expect(describeEntry(entry(more))).toBe(sentence));
});

describe('entryDetails', () => {
  it("returns the mail server's error response, or otherwise the reason", () => {
    const mail = { state: 'failed', reason: 'rejected', response: '550 5.1.1 User unknown' } as const;
    expect(entryDetails(entry({ source: 'mail', kind: 'mail', mail }))).toEqual(['550 5.1.1 User unknown']);
    const dropped = { state: 'dropped', reason: 'too_soon', response: null } as const;
    expect(entryDetails(entry({ source: 'mail', kind: 'mail', mail: dropped }))).toEqual([
      'The previous email of this type was requested less than a minute earlier.',
    ]);
  });

  it("returns an operator's reason, the device and the IP address", () => {
    const more = {
      source: 'audit_entry',
      details: { reason: 'Ticket 1' },
      device: 'Safari',
      ip: '192.0.2.1',
    };
    expect(
      entryDetails(entry({ ...more, type: 'customer.factor_removed' } as Partial<TimelineEntry>)),
    ).toEqual(['Ticket 1', 'Safari', '192.0.2.1']);
  });

  it('returns the reason for the sign-in token if support performed the action', () => {
    const details = { changed: ['firstName'], support: { sessionId: ID, reason: 'Ticket 2' } };
    const audited = { source: 'audit_entry', type: 'customer.updated', details } as const;
    expect(entryDetails(entry(audited))).toEqual(['Ticket 2']);
    expect(entryDetails(entry({ ...audited, details: { support: { reason: null } } }))).toEqual([]);
  });
});

describe('entryPath', () => {
  it.each<[Partial<TimelineEntry>, string]>([
    [{}, `/events/evt_${ID}`],
    [{ deliveries: [delivery()] }, `/events/evt_${ID}`],
    [{ kind: 'webhook', deliveries: [delivery()] }, `/deliveries/dlv_${ID}`],
    [{ kind: 'webhook', deliveries: [delivery(), delivery()] }, `/events/evt_${ID}`],
    [{ source: 'audit_entry' }, `/audit?targetType=customer&targetId=${CUSTOMER}&entry=${ID}`],
    [{ source: 'customer' }, ''],
  ])('links %j to “%s”', (more, path) => expect(entryPath(entry(more), CUSTOMER)).toBe(path));
});

describe('isFailure', () => {
  it('returns true for a failed delivery until it is resolved', () => {
    expect(isFailure(entry({ deliveries: [delivery({ state: 'failed' })] }))).toBe(true);
    expect(isFailure(entry({ deliveries: [delivery({ state: 'failed', resolution: 'redelivered' })] }))).toBe(
      false,
    );
  });
});
