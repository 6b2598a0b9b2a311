import { LINK_AGAIN, type Reason } from '../reasons.js';

const EXPORT_JSON = 'Export the users as JSON with a current version of the Firebase CLI';

/** The reasons that apply only to Firebase users. */
export const firebaseReasons = {
  invalidRow: {
    reason: 'The row has more or fewer cells than the others, for example because of a comma in a name',
    remedy: EXPORT_JSON,
  },
  unknownFactors: {
    reason: 'The CSV export does not contain the second factors of the user',
    remedy: EXPORT_JSON,
  },
  unknownProviders: {
    reason: 'The CSV export contains only accounts at Google, Facebook, Twitter and GitHub',
    remedy: EXPORT_JSON,
  },
  unknownState: { reason: 'The CSV export does not state whether the user is disabled', remedy: EXPORT_JSON },
  noMethod: {
    reason: 'The export contains no password or linked account with which the user could sign in',
    remedy: `Add the accounts of the Admin SDK to the file. ${LINK_AGAIN}`,
  },
  noTenants: {
    reason: 'The user belongs to a tenant, and users of two tenants can have the same address',
    remedy: 'Import each tenant into a separate project',
  },
} satisfies Record<string, Reason>;
