import { exampleId, exampleProjectId, exampleTime } from '../events/event-example.js';
import { exampleCustomer } from './customer.js';

/** The times at which the example customer changes. */
export const exampleTimes = {
  signedUp: exampleTime('09:14:07.312'),
  verified: exampleTime('09:15:41.870'),
  signedIn: exampleTime('09:20:03.154'),
  renamed: exampleTime('09:24:30.006'),
  signInFailed: exampleTime('10:02:16.431'),
  resetRequested: exampleTime('10:07:55.290'),
  resetCompleted: exampleTime('10:09:12.777'),
  signedInAgain: exampleTime('11:28:40.020'),
  passwordChanged: exampleTime('11:30:00.518'),
  emailChanged: exampleTime('13:45:22.093'),
  factorAdded: exampleTime('14:05:10.317'),
  factorRemoved: exampleTime('14:21:04.195'),
  disabled: exampleTime('15:00:00.640'),
  enabled: exampleTime('15:30:00.911'),
  deleted: exampleTime('18:00:00.400'),
} as const;

const at = exampleTimes;

/** The example customer after each change. */
export const unverifiedCustomer = exampleCustomer({
  id: exampleId(at.signedUp, '8e40b7d2516a'),
  projectId: exampleProjectId,
  createdAt: at.signedUp,
  updatedAt: at.signedUp,
});
export const verifiedCustomer = { ...unverifiedCustomer, emailVerified: true, updatedAt: at.verified };
export const signedInCustomer = { ...verifiedCustomer, lastLoginAt: at.signedIn };
export const renamedCustomer = { ...signedInCustomer, lastName: 'Lovelace', updatedAt: at.renamed };
export const customerAfterReset = { ...renamedCustomer, updatedAt: at.resetCompleted };
export const customerAfterPasswordChange = {
  ...customerAfterReset,
  lastLoginAt: at.signedInAgain,
  updatedAt: at.passwordChanged,
};
export const customerAfterEmailChange = {
  ...customerAfterPasswordChange,
  email: 'ada@lovelace.example',
  updatedAt: at.emailChanged,
};
