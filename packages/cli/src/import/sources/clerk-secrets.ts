import type { Row } from '../read-files.js';
import { reasons } from '../reasons.js';
import type { CustomerDraft } from '../source-fields.js';
import { convertClerkHash } from './clerk-hash.js';

/** The values that only the CSV export contains. */
export interface ClerkSecrets {
  digest: string;
  hasher: string;
  totpSecret: string;
  /** The row. The JSON export should contain its other values. */
  row?: Row;
}

/** Sets the password hash and the authenticator app's secret. */
export function setSecrets(
  draft: CustomerDraft,
  { digest, hasher, totpSecret }: ClerkSecrets,
  mustReset = false,
): void {
  if (digest !== '' && mustReset) draft.leaveOut('password_digest', reasons.passwordToReset);
  else if (digest !== '') {
    const converted = convertClerkHash(hasher, digest);
    if ('hash' in converted) draft.setPasswordHash('password_digest', converted.hash);
    else draft.leaveOut('password_digest', converted.problem);
  }
  if (totpSecret !== '') draft.setTotpSecret('totp_secret', totpSecret);
}
