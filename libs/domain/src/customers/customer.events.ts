import { declareEvents, ref, type TimelineDeclaration } from '../events/event-declaration.js';
import { email, object, openEnum, previousValues, time, type JsonSchema } from '../values/json-schema.js';
import {
  customerAfterEmailChange,
  customerAfterPasswordChange,
  customerAfterReset,
  exampleTimes as at,
  unverifiedCustomer,
  renamedCustomer,
  verifiedCustomer,
} from './customer-examples.js';
import { customerFields, type Customer } from './customer.js';

const schemas = Object.fromEntries(
  Object.entries(customerFields).map(([name, { schema }]) => [name, schema]),
) as Record<keyof Customer, JsonSchema>;

export const customerResources = { customer: object(schemas, 'A customer, at the time of the event') };

const customer = ref('customer');

/** Contains only ids, because this event is not erased with the customer's other events. */
const deletedCustomer = object(
  { id: schemas.id, projectId: schemas.projectId, externalId: schemas.externalId },
  'The ids of the deleted customer',
);

const verificationRequest = {
  kind: openEnum('Type of the verification', 'email'),
  email,
  requestedAt: time,
};
const via = openEnum(
  'Type of the email that verified the address, or `provider` if an identity provider verified it',
  ...['link', 'invite', 'reset', 'code', 'provider'],
);
const reset = object({ email, requestedAt: time });

const disabledCustomer = { ...customerAfterEmailChange, disabledAt: at.disabled, updatedAt: at.disabled };
const verificationExample = { kind: 'email', email: verifiedCustomer.email, requestedAt: at.signedUp };
const resetExample = { email: verifiedCustomer.email, requestedAt: at.resetRequested };

export const customerEvents = declareEvents({
  'customer.created': {
    cause: 'a customer registered, was migrated from another system, or was created through the API',
    data: { customer },
    example: [at.signedUp, { customer: unverifiedCustomer }],
    timeline: 'account',
    label: 'Customer created',
    action: 'customer.created',
  },
  'customer.updated': {
    cause: 'a customer was updated. `previous` contains the previous values',
    data: { customer, previous: previousValues(schemas) },
    example: [at.renamed, { customer: renamedCustomer, previous: { lastName: verifiedCustomer.lastName } }],
    timeline: 'account',
    action: 'customer.updated',
  },
  'customer.deleted': {
    cause: 'a customer was deleted. Contains ids only',
    data: { customer: deletedCustomer },
    example: [
      at.deleted,
      {
        customer: {
          id: verifiedCustomer.id,
          projectId: verifiedCustomer.projectId,
          externalId: verifiedCustomer.externalId,
        },
      },
    ],
  },
  'customer.disabled': {
    cause: 'a customer was disabled',
    data: { customer },
    example: [at.disabled, { customer: disabledCustomer }],
    timeline: 'account',
    label: 'Customer disabled',
    action: 'customer.disabled',
  },
  'customer.enabled': {
    cause: 'a disabled customer was enabled',
    data: { customer },
    example: [at.enabled, { customer: { ...customerAfterEmailChange, updatedAt: at.enabled } }],
    timeline: 'account',
    label: 'Customer enabled',
    action: 'customer.enabled',
  },
  'customer.locked': {
    cause:
      'too many sign-in attempts for a customer failed. Until the lock ends, the customer can sign in only from known client IPs. After 100 consecutive failures, the password is blocked until the customer sets a new one or is unlocked',
    data: { customer },
    example: [at.signInFailed, { customer: renamedCustomer }],
    timeline: 'sign_in',
    label: 'Locked after too many failed sign-ins',
  },
  'customer.unlocked': {
    cause:
      'a customer was unlocked through the API, by a password reset, or by a sign-in from a known client IP',
    data: { customer },
    example: [at.resetCompleted, { customer: customerAfterReset }],
    timeline: 'sign_in',
    label: 'Unlocked',
    action: 'customer.unlocked',
  },
  'verification.requested': {
    cause: 'a verification email was queued',
    data: { customer, verification: object(verificationRequest) },
    example: [at.signedUp, { customer: unverifiedCustomer, verification: verificationExample }],
  },
  'verification.completed': {
    cause: 'a customer verified their email address',
    data: { customer, verification: object({ ...verificationRequest, via, completedAt: time }) },
    example: [
      at.verified,
      {
        customer: verifiedCustomer,
        verification: { ...verificationExample, via: 'link', completedAt: at.verified },
      },
    ],
    timeline: 'account',
    label: 'Email address verified',
  },
});

export const customerActions = {
  'customer.deleted': {},
  'customer.exported': { timeline: 'account', label: 'Data exported' },
} satisfies Record<string, TimelineDeclaration>;

export const passwordEvents = declareEvents({
  'password.changed': {
    cause:
      'a customer changed their password, an invited customer set their first password, or a password was imported for an existing customer. Also emitted when the password is removed because the owner of the email address reported the account as not theirs, or verified the address with another sign-in method',
    data: { customer },
    example: [at.passwordChanged, { customer: customerAfterPasswordChange }],
    timeline: 'security',
    label: 'Password changed',
    action: 'customer.password_changed',
    otherActions: ['customer.password_reset', 'customer.disowned'],
    mail: 'password-changed',
  },
  'password.reset_requested': {
    cause: 'a password reset email was queued',
    data: { customer, reset },
    example: [at.resetRequested, { customer: renamedCustomer, reset: resetExample }],
  },
  'password.reset_completed': {
    cause: 'a customer set a new password with the link in a password reset email',
    data: { customer, reset },
    example: [at.resetCompleted, { customer: customerAfterReset, reset: resetExample }],
    timeline: 'security',
    label: 'Password reset',
    otherActions: ['customer.password_reset'],
    mail: 'password-changed',
  },
});

export const passwordActions = {
  'customer.password_reset': { timeline: 'security', label: 'Password set with the link in an email' },
  'customer.disowned': { timeline: 'account', label: 'Email address disowned by its owner' },
} satisfies Record<string, TimelineDeclaration>;

export const emailEvents = declareEvents({
  'email.changed': {
    cause: 'the email address of a customer changed, through the API or after confirmation at both addresses',
    data: {
      customer,
      previous: {
        ...previousValues({ email, emailVerified: schemas.emailVerified }),
        required: ['email'],
      },
    },
    example: [
      at.emailChanged,
      { customer: customerAfterEmailChange, previous: { email: verifiedCustomer.email } },
    ],
    timeline: 'account',
    label: 'Email address changed',
    action: 'customer.email_changed',
    otherActions: ['customer.updated'],
  },
});

export const emailActions = {
  'customer.verification_sent': { timeline: 'mail', label: 'Verification email requested' },
  'customer.password_reset_sent': { timeline: 'mail', label: 'Password reset email requested' },
  'customer.invitation_sent': { timeline: 'mail', label: 'Invitation email requested' },
} satisfies Record<string, TimelineDeclaration>;
