import { LINK_AGAIN, NEW_FACTOR, RESET, STORE_ELSEWHERE, type Reason } from '../reasons.js';

/** The reasons that apply only to Keycloak users. */
export const keycloakReasons = {
  unknownCredentials: {
    reason: 'The file contains no credentials, for example because it is a list from the Admin API',
    remedy: 'Use the files of kc.sh export, or send the customer a password reset',
  },
  unknownApp: {
    reason: 'The user has an authenticator app, which the file does not contain',
    remedy: `Use the files of kc.sh export. ${NEW_FACTOR}`,
  },
  unknownIdentities: {
    reason: 'The file does not contain the linked accounts of the user',
    remedy: `Use the files of kc.sh export. ${LINK_AGAIN}`,
  },
  unknownAccess: {
    reason: 'The file does not contain the roles and groups of the user',
    remedy: 'Use the files of kc.sh export, or find them in Keycloak',
  },
  unknownDetails: {
    reason: 'The list from the Admin API is brief: it contains neither attributes nor required actions',
    remedy: 'Request the list with briefRepresentation=false, or use the files of kc.sh export',
  },
  unknownState: {
    reason:
      'The file does not state whether the user is enabled: Keycloak itself imports such a user as disabled',
    remedy: 'Check the user in Keycloak. The customer is disabled: enable the customer if necessary',
  },
  otherPassword: {
    reason: 'Keycloak verifies only the first password of a user, so other passwords are left out',
    remedy: 'Nothing: the customer signs in with the first one',
  },
  unknownCredential: {
    reason: 'Gatehouse does not import this type of credential',
    remedy:
      'If it is a password, send the customer a password reset. If it is a second factor, the customer sets it up again',
  },
  temporaryPassword: { reason: 'The password is temporary, so it is left out', remedy: RESET },
  federatedUser: {
    reason: 'The user belongs to a user federation, and the file contains only what Keycloak adds to it',
    remedy: 'Export the user from the federation, and add an email address to the file',
  },
  consents: {
    reason: 'Gatehouse does not store consents to clients',
    remedy: STORE_ELSEWHERE,
  },
} satisfies Record<string, Reason>;
