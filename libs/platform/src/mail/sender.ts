import addressparser from 'nodemailer/lib/addressparser';
import { canonicalEmail, toSingleLine } from '@gatehouse/domain';

/** Who a mail is from. */
export interface Sender {
  /** Empty: none. */
  name: string;
  /** With the ASCII form of its domain; the local part as it was written, which some mail servers insist on. */
  address: string;
}

/** `Name <address>` or `address`, taken apart; null unless it is exactly one usable address. */
export function parseSender(text: string): Sender | null {
  const [entry, another] = addressparser(text);
  if (!entry || another || entry.address === undefined || entry.name.includes('@')) return null;
  const canonical = canonicalEmail(entry.address);
  if (!canonical) return null;
  const localPart = entry.address.slice(0, entry.address.lastIndexOf('@')).trim();
  return { name: toSingleLine(entry.name), address: `${localPart}@${emailDomain(canonical)}` };
}

export const emailDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
