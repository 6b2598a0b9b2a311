/** The English texts in the account settings and the customer button. */
export const accountEn = {
  // Menu
  accountMenu: 'Account menu',
  account: 'Account settings',
  signOut: 'Sign out',

  // Shared by the sections
  save: 'Save',
  saved: 'Saved',
  cancel: 'Cancel',
  close: 'Close',
  remove: 'Remove',
  removeTitle: 'Remove {name}?',
  rename: 'Rename',
  name: 'Name',
  added: 'Added {date}',
  lastUsed: 'Last used {date}',
  more: 'Show more',

  // Profile
  profile: 'Profile',
  firstName: 'First name',
  lastName: 'Last name',
  verified: 'Verified',
  unverified: 'Not verified',
  verifyEmail: 'Send a verification link',
  changeEmail: 'Change email address',
  changeEmailText:
    'We will send a link to your current address and to the new one. The address changes after you have opened both links.',
  newEmail: 'New email address',
  emailSent: 'Open the links that we have sent to {email} and to your current address.',

  // Password
  passwordText: 'A new password signs you out on all other devices.',
  setPassword: 'Set a new password',
  newPassword: 'New password',
  passwordSet: 'The new password is set. You are signed out on all other devices.',

  // Second factors
  factors: 'Two-step verification',
  factorsText: 'A second step protects your account when someone else knows your password.',
  authenticator: 'Authenticator app',
  noAuthenticator: 'No authenticator app yet',
  addAuthenticator: 'Add an authenticator app',
  scanText: 'Scan the QR code with an authenticator app, then enter the code that it shows.',
  removeAuthenticatorText:
    'Its codes will no longer be accepted. If it is your last second step, your recovery codes will stop working too.',
  recoveryCodes: 'Recovery codes',
  codesLeft: '{count} left',
  download: 'Download codes',
  newCodes: 'Create new codes',
  newCodesText: 'The recovery codes that you have saved will become invalid.',

  // Passkeys
  passkeys: 'Passkeys',
  passkeysText: 'Sign in with your fingerprint, your face or a PIN.',
  noPasskeys: 'No passkeys yet',
  removePasskeyText: 'You can no longer sign in with it. Delete it on your device as well.',

  // Identities
  identities: 'Connected accounts',
  connect: 'Connect {name}',
  connected: 'The account is connected.',
  disconnect: 'Disconnect',
  disconnectTitle: 'Disconnect {name}?',

  // Sessions
  sessions: 'Sessions',
  thisDevice: 'This device',
  unknownDevice: 'Unknown device',
  lastActive: 'Last active {date}',
  endSession: 'Sign out on {device}?',
  endOthers: 'Sign out on all other devices',

  // Deletion
  deleteAccount: 'Delete account',
  deleteText: 'Your account and its data will be deleted permanently. You cannot undo this.',
  deleteConfirm: 'Enter {email} to confirm',

  // Proof of identity
  proofPassword: 'Enter your password to continue.',
  proofEmail: 'We will send a code to your email address.',
  proofMissing: 'Sign out and sign in again, then repeat the change.',
  proven: 'Your identity is confirmed. Repeat the change now.',
  usePassword: 'Use your password',
};
