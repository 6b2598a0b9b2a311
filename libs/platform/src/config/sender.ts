import addressparser from 'nodemailer/lib/addressparser';
import { canonicalEmail, toSingleLine } from '@gatehouse/domain';

export interface Sender {
  /** Empty if there is no name. */
  name: string;
  /** The domain is in ASCII form. The local part is unchanged, because some mail servers are case-sensitive. */
  address: string;
}

/** Parses `Name <address>` or `address`. Returns null unless the string contains exactly one valid email address. */
export function parseSender(text: string): Sender | null {
  const [entry, another] = addressparser(text);
  if (!entry || another || entry.address === undefined || entry.name.includes('@')) return null;
  const canonical = canonicalEmail(entry.address);
  if (!canonical) return null;
  const localPart = entry.address.slice(0, entry.address.lastIndexOf('@')).trim();
  return { name: toSingleLine(entry.name), address: `${localPart}@${emailDomain(canonical)}` };
}

export const emailDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
