import { exampleTimes as at, renamedCustomer, signedInCustomer } from '../customers/customer-examples.js';
import { declareEvents, ref, type TimelineDeclaration } from '../events/event-declaration.js';
import { exampleId, exampleTime } from '../events/event-example.js';
import { nullable, object, openEnum, text, time, uuid } from '../values/json-schema.js';
import { authenticationMethods } from './authentication-method.js';
import { revocationReasons } from './revocation-reasons.js';
import { signInFailureReasons } from './sign-in-failure.js';

const client = { device: nullable(text), ip: nullable(text), userAgent: nullable(text) };

export const sessionResources = {
  session: object(
    { id: uuid, ...client, createdAt: time, lastUsedAt: time, expiresAt: time },
    'A session of a customer',
  ),
};

const customer = ref('customer');
const session = ref('session');

const methods = {
  type: 'array',
  items: openEnum(
    "How the customer signed in, as in the access token's `amr` claim",
    ...authenticationMethods,
  ),
};
const provider = {
  ...text,
  type: ['string', 'null'],
  description: 'Slug of the identity provider with which the customer signed in, or null',
};
const reason = openEnum('Reason why the session ended', ...revocationReasons);

/** The members of a failed sign-in. */
const failure = {
  reason: openEnum('Reason why the sign-in failed', ...signInFailureReasons),
  methods: {
    type: 'array',
    items: openEnum(
      'How the customer tried to sign in, with the same values as in `login.succeeded`',
      ...authenticationMethods,
    ),
  },
  ...client,
};

const clientExample = {
  device: 'Firefox on macOS',
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
};
const sessionExample = {
  id: exampleId(at.signedIn, '27f9c05ae8b3'),
  ...clientExample,
  createdAt: at.signedIn,
  lastUsedAt: at.signedIn,
  expiresAt: '2026-04-01T09:20:03.154Z',
};
const tokenReusedAt = exampleTime('09:48:48.225');

export const sessionEvents = declareEvents({
  'session.created': {
    cause: 'a customer signed in or registered',
    data: { customer, session },
    example: [at.signedIn, { customer: signedInCustomer, session: sessionExample }],
    otherActions: ['customer.sign_in_token_used'],
  },
  'session.revoked': {
    cause: 'a session was revoked before it expired',
    data: { customer, session, reason },
    example: [
      tokenReusedAt,
      { customer: renamedCustomer, session: sessionExample, reason: 'reuse_detected' },
    ],
    timeline: 'session',
    action: 'customer.sessions_revoked',
  },
  'login.succeeded': {
    cause: 'a customer signed in',
    data: { customer, session, methods, provider },
    example: [
      at.signedIn,
      { customer: signedInCustomer, session: sessionExample, methods: ['pwd'], provider: null },
    ],
    timeline: 'sign_in',
    otherActions: ['customer.sign_in_token_used'],
  },
  'login.failed': {
    cause:
      'a sign-in attempt for a customer failed. `reason` contains the cause. Emitted at most once per customer and minute',
    named: true,
    data: { customer, ...failure },
    example: [
      at.signInFailed,
      { customer: renamedCustomer, reason: 'wrong_password', methods: ['pwd'], ...clientExample },
    ],
    timeline: 'sign_in',
  },
});

export const sessionActions = {
  'customer.sign_in_token_created': { timeline: 'sign_in', label: 'Sign-in token created' },
  'customer.sign_in_token_used': { timeline: 'sign_in', label: 'Signed in with a sign-in token' },
  'customer.reauthentication_required': { timeline: 'sign_in', label: 'Reauthentication required' },
} satisfies Record<string, TimelineDeclaration>;

export const tokenEvents = declareEvents({
  'token.reuse_detected': {
    cause: 'a refresh token was reused, so its session was revoked',
    data: { customer, session },
    example: [tokenReusedAt, { customer: renamedCustomer, session: sessionExample }],
    timeline: 'session',
    label: 'Refresh token reused',
  },
});
