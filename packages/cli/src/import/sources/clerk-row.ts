import type { JsonObject } from '../../json-object.js';
import { parseBoolean } from '../read-boolean.js';
import type { Row } from '../read-files.js';
import { reasons } from '../reasons.js';
import { CustomerDraft, normalizeName, notImported, toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import { isEmpty, leaveOutOthers, leaveOutText, setDisabled } from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { addressOf, setEmail, type Addresses } from './clerk-addresses.js';
import { setSecrets, type ClerkSecrets } from './clerk-secrets.js';

const columns = new Set([
  ...['id', 'first_name', 'last_name', 'username', 'primary_email_address', 'primary_phone_number'],
  ...['verified_email_addresses', 'unverified_email_addresses'],
  ...['verified_phone_numbers', 'unverified_phone_numbers'],
  ...['totp_secret', 'password_digest', 'password_hasher'],
  // The dashboard does not export this column, but a file can be edited.
  'banned',
]);

const NAMES = [
  ['firstName', 'first_name'],
  ['lastName', 'last_name'],
] as const;

const PHONES = ['primary_phone_number', 'verified_phone_numbers', 'unverified_phone_numbers'] as const;

const TAB = 9;

/**
 * Returns the trimmed value of a cell. The dashboard writes a tab before a value that a spreadsheet would run as a
 * formula.
 */
function cell(row: Row, name: string): string {
  const text = row[name] ?? '';
  return (text.charCodeAt(0) === TAB ? text.replace(/^\t(?=[=+\-@\t\r\n＝＋－＠])/, '') : text).trim();
}

export const secretsOf = (row: Row): ClerkSecrets => ({
  digest: cell(row, 'password_digest'),
  hasher: cell(row, 'password_hasher'),
  totpSecret: cell(row, 'totp_secret'),
  row,
});

/** Splits a cell with several values. */
export function splitList(text: string): string[] {
  if (!text.includes('|') && !text.includes(',')) return text === '' ? [] : [text];
  return text
    .split(/[|,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const rowAddresses = (row: Row): Addresses => ({
  verified: splitList(cell(row, 'verified_email_addresses')),
  unverified: splitList(cell(row, 'unverified_email_addresses')),
  primary: cell(row, 'primary_email_address'),
});

/** Converts a CSV export row. */
export function convertClerkRow(position: string, row: Row): SourceRecord {
  const draft = new CustomerDraft();
  const id = cell(row, 'id');
  const isBanned = parseBoolean(row['banned']);
  if (isBanned === null) return notImported(position, id || null, 'banned', unknown.ban);
  draft.setId('id', id);
  setEmail(draft, rowAddresses(row));
  for (const [name, column] of NAMES) draft.setName(name, column, cell(row, column));
  if (isBanned) setDisabled(draft, []);
  setSecrets(draft, secretsOf(row));
  leaveOutText(draft, 'username', cell(row, 'username'), reasons.noUsername);
  leaveOutText(draft, 'phone_numbers', joinPhones(row), reasons.noPhone);
  leaveOutOthers(draft, row, columns);
  return draft.toRecord(position, id);
}

const joinPhones = (row: Row): string => cell(row, PHONES[0]) + cell(row, PHONES[1]) + cell(row, PHONES[2]);

/**
 * Merges a user's addresses in the JSON export and the CSV export. An address that only one of them lists as verified
 * is in both lists. The JSON export's primary address takes precedence.
 */
export function mergeAddresses(draft: CustomerDraft, own: Addresses, row: Row): Addresses {
  const other = rowAddresses(row);
  const [primary, otherPrimary] = [addressOf(own), addressOf(other)];
  if (primary === '') return other;
  const isEqual =
    other.verified.length === 1 && other.verified[0] === primary && own.verified.includes(primary);
  if (isEqual && other.unverified.length === 0 && otherPrimary === primary) return own;
  if (otherPrimary !== '' && otherPrimary.toLowerCase() !== primary.toLowerCase())
    draft.leaveOut('primary_email_address', reasons.otherInCsv);
  return {
    verified: [...own.verified, ...other.verified],
    unverified: [...own.unverified, ...other.unverified],
    primary,
  };
}

/** Sets the names that only the CSV export contains, and reports its other values that differ from the JSON export. */
export function mergeRow(draft: CustomerDraft, user: JsonObject, row: Row): void {
  for (const [name, column] of NAMES) {
    const [own, other] = [toText(user[column]), cell(row, column)];
    if (own === '') draft.setName(name, column, other);
    else if (other !== '' && own !== other && normalizeName(own) !== normalizeName(other))
      draft.leaveOut(column, reasons.otherInCsv);
  }
  const [username, phones] = [cell(row, 'username'), joinPhones(row)];
  if (username !== '' && isEmpty(user['username'])) draft.leaveOut('username', reasons.noUsername);
  if (phones !== '' && ['phone_numbers', ...PHONES].every((name) => isEmpty(user[name])))
    draft.leaveOut('phone_numbers', reasons.noPhone);
  for (const name of Object.keys(row)) {
    const other = columns.has(name) ? '' : cell(row, name);
    const own = user[name] ?? '';
    if (other !== '' && (typeof own === 'boolean' ? String(own) : toText(own)) !== other)
      draft.leaveOut(name, own === '' ? reasons.noField : reasons.otherInCsv);
  }
}
