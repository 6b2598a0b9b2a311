import { asciiHost } from '../urls/ascii-host.js';

/**
 * The local part as in HTML's definition of `<input type="email">`, but without a leading dot. RFC 5321 requires quotes
 * around a local part that ends with a dot or contains two consecutive dots; nodemailer adds the quotes. The Japanese
 * carriers docomo and au have assigned addresses of this form.
 */
const localPart = /^(?!\.)[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const hostName =
  /^(?=.{1,253}$)(?!(?:.*\.)?(?:\d+|0x[\da-f]*)$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns an email address in canonical form: trimmed, with lowercase ASCII letters, the domain in its ASCII form, and
 * at most 254 characters (contract, section 3; requirement EV-06). Returns null for any other string. Quoted and
 * non-ASCII local parts are rejected because mail systems interpret them differently.
 */
export function canonicalEmail(input: string): string | null {
  const text = input.trim();
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 320) return null;
  const local = text.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const domain = asciiHost(text.slice(at + 1));
  if (domain === null) return null;
  const email = `${local}@${domain}`;
  const acceptable =
    local.length <= 64 && localPart.test(local) && hostName.test(domain) && email.length <= 254;
  return acceptable ? email : null;
}

const gmailDomains = new Set(['gmail.com', 'googlemail.com']);

/**
 * Returns the same email address for all addresses of a mailbox, so that emails can be counted per mailbox (requirement
 * MQ-02): without a `+tag`, and for Gmail without dots. Emails are always sent to the original address, because a mail
 * system may interpret it differently.
 * @param email in canonical form
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  const tag = local.indexOf('+');
  const untagged = tag > 0 ? local.slice(0, tag) : local;
  return gmailDomains.has(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}
