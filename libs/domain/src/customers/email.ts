import { domainToASCII } from 'node:url';

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostName =
  /^(?=.{1,253}$)(?!.*\.\d+$|\d+$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** ASCII that no host name holds: domainToASCII reads a URL, and would drop or decode it. */
const invalidHostCharacters = /[\0-,/:-@[-`{-\x7f]/;

/**
 * The canonical form of an e-mail address: trimmed, ASCII-lower-cased, domain in NFC and then its ASCII form,
 * at most 254 characters (contract, section 3; requirement EV-06). Returns null for anything else;
 * quoted and non-ASCII local parts are refused because mail programs disagree about them.
 */
export function canonicalEmail(input: string): string | null {
  const text = input.trim();
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 320) return null;
  const local = text.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const host = text.slice(at + 1);
  if (invalidHostCharacters.test(host)) return null;
  const domain = domainToASCII(host.normalize('NFC'));
  const email = `${local}@${domain}`;
  const acceptable =
    local.length <= 64 && localPart.test(local) && hostName.test(domain) && email.length <= 254;
  return acceptable ? email : null;
}
