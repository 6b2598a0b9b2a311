import { LINK_AGAIN, NEW_FACTOR, RESET, type Reason } from '../reasons.js';

/** The reasons that apply only to Cognito users. */
export const cognitoReasons = {
  morePages: {
    reason: 'The last page refers to another one: the export is incomplete',
    remedy: 'Export without --no-paginate and --max-items, or add the other pages to the command',
  },
  passwordToReset: { reason: 'The user must reset the password (RESET_REQUIRED)', remedy: RESET },
  temporaryPassword: {
    reason: 'The user has only a temporary password (FORCE_CHANGE_PASSWORD), which Cognito does not export',
    remedy: RESET,
  },
  notConfirmed: {
    reason: 'The user never confirmed the account (UNCONFIRMED), but can sign in to Gatehouse',
    remedy: 'Turn on requireVerifiedEmail in the project, or remove the user from the file',
  },
  archived: {
    reason: 'The user is archived (ARCHIVED), so the customer is disabled',
    remedy: 'Enable the customer if they may sign in again',
  },
  compromised: {
    reason: 'The user is compromised (COMPROMISED), so the customer is disabled',
    remedy: 'Enable the customer after they have proven who they are',
  },
  unknownStatus: {
    reason: 'The status of the user is unknown',
    remedy: 'Check the user in Cognito, and disable the customer if necessary',
  },
  unknownFactor: {
    reason: 'list-users does not return second factors',
    remedy: `Request the users with admin-get-user, which returns them. ${NEW_FACTOR}`,
  },
  unknownAuthenticator: {
    reason: 'The CSV file contains only second factors by text message',
    remedy: `Use the JSON of admin-get-user. ${NEW_FACTOR}`,
  },
  unknownGroups: {
    reason: 'The file does not contain the groups of the user',
    remedy: 'Find them with list-users-in-group, and store them in your own database or in metadata',
  },
  repeatedAttribute: {
    reason: 'The attribute occurs twice with different values: the first one is imported',
    remedy: 'Correct the file, and run the command again',
  },
  unknownState: {
    reason: 'The file does not state whether the user is disabled or unconfirmed',
    remedy: 'Use the complete JSON of list-users, or check the user in Cognito',
  },
  missingIdentity: {
    reason: 'The user signs in at an identity provider, but the file does not contain the account',
    remedy: LINK_AGAIN,
  },
  unknownIdentities: {
    reason: 'The CSV file does not contain the linked accounts of the user',
    remedy: 'Use the JSON of list-users',
  },
} satisfies Record<string, Reason>;
