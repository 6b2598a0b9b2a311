import { toObject, type JsonObject } from '../../json-object.js';
import { parseBoolean, readBoolean } from '../read-boolean.js';
import { reasons, RESET, STORE_ELSEWHERE, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  invalidRecord,
  isAbsent,
  leaveOutOthers,
  leaveOutText,
  setDisabled,
  setTime,
} from '../source-values.js';
import { findTables, readTable, requireTable, withOffset, type TableShape } from '../tables.js';
import { unknown } from '../unknown-reasons.js';

type Table = 'wp_users' | 'wp_usermeta';

/** A user's entries in `wp_usermeta` that the import reads. */
interface UserMeta {
  firstName?: string;
  lastName?: string;
  locale?: string;
  roles: Set<string>;
  /** The Two-Factor plugin's enabled providers. */
  factors: Set<string>;
  totpSecret?: string;
  hasBackupCodes?: boolean;
  /** True if a row lists the enabled providers, even if the list is empty. */
  hasFactorList?: boolean;
  /** True if another plugin stores a second factor. */
  hasOtherFactor?: boolean;
  hasOthers?: boolean;
  /** True if the site belongs to a network, which can mark users as spam or deleted. */
  isInNetwork?: boolean;
  /** The entries with values that are not in the WordPress format. */
  unreadable: Set<string>;
}

const ownReasons = {
  md5: {
    reason: 'The password hash is MD5 without a salt, so it is not accepted',
    remedy: RESET,
  },
  noHash: {
    reason: 'The row contains no password hash, although WordPress stores one for each user',
    remedy: RESET,
  },
  userStatus: {
    reason:
      'WordPress itself does not use user_status: a plugin has banned the user, or the user has not activated the account yet',
    remedy: 'Enable the customer, who is imported as disabled, if they may sign in',
  },
  unknownUser: {
    reason: 'The table wp_users does not contain the user of these rows',
    remedy: 'Export both tables at the same time, and run the command again',
  },
  noMeta: {
    reason: 'The table wp_usermeta has no row for the user, so the roles and second factors are unknown',
    remedy: 'Export both tables at the same time with all rows, and run the command again',
  },
  notPhp: {
    reason: 'The value is not a PHP array, so the roles or second factors are unknown',
    remedy: 'Export the value as the database contains it, and run the command again',
  },
  noFactorList: {
    reason:
      'The user has the secret of an authenticator app, and no row states which second factors are enabled',
    remedy:
      'Export both tables again with all rows, and run the command again. If the app was never enabled, nothing is missing',
  },
  deletion: {
    reason: 'The value does not show whether the user is deleted, so the user is not imported',
    remedy: 'Correct the value in the file, and run the command again',
  },
  deletedColumn: {
    reason: 'The column is missing, so it is unknown whether the network has deleted the user',
    remedy: 'Export the table with this column, or delete the customer if the user is deleted',
  },
  deletedValue: {
    reason: 'The value is missing, so it is unknown whether the network has deleted the user',
    remedy: 'Correct the value in the file, or delete the customer if the user is deleted',
  },
  displayName: {
    reason: 'The user has a first or last name, so a displayed name that differs is left out',
    remedy: STORE_ELSEWHERE,
  },
  metadata: {
    reason: 'Gatehouse does not import what plugins store in wp_usermeta',
    remedy: STORE_ELSEWHERE,
  },
} satisfies Record<string, Reason>;

const shapes: readonly TableShape<Table>[] = [
  { name: 'wp_users', columns: ['ID', 'user_login', 'user_pass', 'user_email'] },
  { name: 'wp_usermeta', columns: ['user_id', 'meta_key', 'meta_value'] },
];

const knownColumns = new Set([
  ...['ID', 'user_login', 'user_pass', 'user_nicename', 'user_email', 'user_registered', 'display_name'],
  ...['user_activation_key', 'user_status', 'spam', 'deleted'],
]);
const metaColumns = ['user_id', 'meta_key', 'meta_value'];

/** WordPress and WooCommerce roles without permissions beyond the user's own account. */
const USUAL_ROLES = new Set(['subscriber', 'customer']);

/** The entries that the import reads as strings. */
const TEXT_META = new Set(['first_name', 'last_name', 'locale', '_two_factor_totp_key']);

/** The entries that WordPress itself writes and that have no meaning outside it, without the table prefix. */
const KNOWN_META =
  /^(nickname|rich_editing|syntax_highlighting|comment_shortcuts|admin_color|use_ssl|show_admin_bar_front|show_welcome_panel|session_tokens|community-events-location|default_password_nag|dismissed_wp_pointers|primary_blog|source_domain|_new_email)$|(capabilities|user_level|user-settings|user-settings-time|dashboard_quick_press_last_post_id|persisted_preferences|metaboxhidden_.*|closedpostboxes_.*|meta-box-order_.*|screen_layout_.*|manage.*columnshidden|_per_page)$/;

/**
 * Reads WordPress users: the tables `wp_users` and `wp_usermeta`, whose prefix can differ
 * (https://developer.wordpress.org/apis/database/ and wp-admin/includes/schema.php).
 */
export const wordpress: ImportSource = {
  name: 'wordpress',
  files: 'the tables wp_users and wp_usermeta as CSV files with a header',
  providers: {},
  async *read(files) {
    const tables = await findTables(files, shapes, 'wordpress');
    requireTable(tables, 'wp_users');
    requireTable(tables, 'wp_usermeta');
    const meta = new Map<string, UserMeta>();
    for (const { file, table } of tables) {
      if (table !== 'wp_usermeta') continue;
      for await (const { position, value } of readTable(file, metaColumns)) {
        const id = toText(value?.['user_id']);
        if (!value || !id) yield invalidRecord(position);
        else readMeta(meta, id, toText(value['meta_key']), value['meta_value']);
      }
    }
    for (const { file, table } of tables) {
      if (table !== 'wp_users') continue;
      for await (const { position, value } of readTable(file, knownColumns))
        yield value ? convertUser(position, value, meta) : invalidRecord(position);
    }
    for (const id of meta.keys()) yield notImported('', id, 'wp_usermeta', ownReasons.unknownUser);
  },
};

function readMeta(meta: Map<string, UserMeta>, userId: string, key: string, cell: unknown): void {
  const user = meta.get(userId) ?? { roles: new Set(), factors: new Set(), unreadable: new Set() };
  meta.set(userId, user);
  const isRoles = /capabilities$/.test(key);
  // From the plugin https://wordpress.org/plugins/two-factor/.
  const isFactors = key === '_two_factor_enabled_providers';
  if (isFactors) user.hasFactorList = true;
  if (isAbsent(cell)) return;
  const value = toText(cell);
  // Only site networks store these entries.
  if (key === 'primary_blog' || key === 'source_domain') user.isInNetwork = true;
  if (isRoles || isFactors) addNames(isRoles ? user.roles : user.factors, user.unreadable, key, cell);
  else if (key === '_two_factor_backup_codes') user.hasBackupCodes = true;
  else if (TEXT_META.has(key) && value === '') user.unreadable.add(key);
  else if (key === 'first_name') user.firstName = value;
  else if (key === 'last_name') user.lastName = value;
  else if (key === 'locale') user.locale = value;
  else if (key === '_two_factor_totp_key') user.totpSecret = value;
  else if (/^_two_factor_/.test(key)) return;
  else if (/2fa|two_fa|totp|mfa|webauthn|passkey/i.test(key)) user.hasOtherFactor = true;
  else if (!KNOWN_META.test(key)) user.hasOthers = true;
}

/** Adds the strings in a PHP array, which can be serialized or in the JSON of `wp user meta list --format=json`. */
function addNames(names: Set<string>, unreadable: Set<string>, key: string, cell: unknown): void {
  const list = typeof cell === 'string' ? readNames(cell.trim()) : listNames(cell);
  if (list === null) unreadable.add(key);
  for (const name of list ?? []) names.add(name);
}

/** Returns the strings in a list, or the names of the members that are true; null for any other value. */
function listNames(cell: unknown): string[] | null {
  if (Array.isArray(cell)) {
    const texts = cell.map(toText);
    return texts.includes('') ? null : texts;
  }
  const object = toObject(cell);
  if (!object) return null;
  // A PHP list with gaps becomes an object with numeric keys.
  const entries = Object.entries(object).map(([name, value]): [string, boolean | null | undefined] =>
    /^\d+$/.test(name) ? [toText(value), true] : [name, parseBoolean(value)],
  );
  if (entries.some(([name, isOn]) => name === '' || isOn === null)) return null;
  return entries.filter(([, isOn]) => isOn).map(([name]) => name);
}

/** Returns the strings in a serialized PHP array, such as `a:1:{s:10:"subscriber";b:1;}`; null for any other string. */
const readNames = (text: string): string[] | null =>
  /^a:\d+:\{/.test(text)
    ? [...text.matchAll(/s:\d+:"([^"]*)";(b:0;)?/g)].filter(([, , isOff]) => !isOff).map(([, name]) => name!)
    : null;

function convertUser(position: string, row: JsonObject, metaByUser: Map<string, UserMeta>): SourceRecord {
  const id = toText(row['ID']);
  if (!id) return invalidRecord(position);
  const meta = metaByUser.get(id);
  metaByUser.delete(id);
  const [isDeleted, isSpam] = [readBoolean(row['deleted']), readBoolean(row['spam'])];
  if (isDeleted) return notImported(position, id, '', reasons.deleted);
  if (isDeleted === null) return notImported(position, id, 'deleted', ownReasons.deletion);
  if (isSpam === null) return notImported(position, id, 'spam', unknown.ban);
  // WordPress does not store whether an email address is verified.
  const draft = new CustomerDraft()
    .setId('ID', id)
    .set('email', toText(row['user_email']))
    .set('emailVerified', false)
    .setName('firstName', 'first_name', meta?.firstName ?? '')
    .setName('lastName', 'last_name', meta?.lastName ?? '');
  const login = toText(row['user_login']);
  setDisplayName(draft, toText(row['display_name']), login, meta);
  if (meta?.locale) draft.setLocale('locale', meta.locale);
  setTime(draft, 'createdAt', 'user_registered', withOffset(row['user_registered']));
  setPassword(draft, toText(row['user_pass']));
  setStatus(draft, row, isSpam);
  leaveOutMissing(draft, row, meta);
  if (login.toLowerCase() !== toText(row['user_email']).toLowerCase())
    leaveOutText(draft, 'user_login', login, reasons.noUsername);
  if (meta) convertMeta(draft, meta);
  leaveOutOthers(draft, row, knownColumns);
  // Plugins can store elsewhere that a user is blocked.
  return { ...draft.toRecord(position, id), isBanUnknown: true };
}

/**
 * Sets the name from the display name if the user has no other name. Otherwise, reports a display name that differs
 * from the choices in WordPress: the login and the names.
 */
function setDisplayName(
  draft: CustomerDraft,
  displayName: string,
  login: string,
  { firstName = '', lastName = '' }: Partial<UserMeta> = {},
): void {
  const choices = [login, '', firstName, lastName, `${firstName} ${lastName}`, `${lastName} ${firstName}`];
  if (choices.includes(displayName)) return;
  if (firstName + lastName === '') draft.setFullName('display_name', displayName);
  else draft.leaveOut('display_name', ownReasons.displayName);
}

function setPassword(draft: CustomerDraft, hash: string): void {
  if (/^[0-9a-f]{32}$/i.test(hash)) draft.leaveOut('user_pass', ownReasons.md5);
  else if (hash === '') draft.leaveOut('user_pass', ownReasons.noHash);
  else draft.setPasswordHash('user_pass', hash);
}

/** Disables the customer if the user cannot sign in to WordPress, or if that is unknown. */
function setStatus(draft: CustomerDraft, row: JsonObject, isSpam: boolean): void {
  // Plugins can use values other than 0 and 1.
  const hasStatus = readBoolean(row['user_status']) !== false;
  // `spam` is a column of site networks.
  if (!hasStatus && !isSpam) return;
  setDisabled(draft, [withOffset(row['user_registered'])]);
  if (hasStatus) draft.leaveOut('user_status', ownReasons.userStatus);
}

/** Reports the values that are unknown for the user. */
function leaveOutMissing(draft: CustomerDraft, row: JsonObject, meta: UserMeta | undefined): void {
  const leaveOut = (name: string, column: Reason, value: Reason): void => {
    if (!(name in row)) draft.leaveOut(name, column);
    else if (row[name] === null) draft.leaveOut(name, value);
  };
  leaveOut('user_status', unknown.banColumn, unknown.banState);
  if (meta?.isInNetwork) {
    leaveOut('spam', unknown.banColumn, unknown.banState);
    leaveOut('deleted', ownReasons.deletedColumn, ownReasons.deletedValue);
  }
  // WordPress stores several rows for each user.
  if (!meta) draft.leaveOut('wp_usermeta', ownReasons.noMeta);
  for (const key of meta?.unreadable ?? [])
    draft.leaveOut(key, TEXT_META.has(key) ? reasons.wrongType : ownReasons.notPhp);
}

function convertMeta(draft: CustomerDraft, meta: UserMeta): void {
  if ([...meta.roles].some((role) => !USUAL_ROLES.has(role))) draft.leaveOut('capabilities', reasons.noRoles);
  const hasTotp = meta.factors.has('Two_Factor_Totp');
  if (hasTotp && meta.totpSecret) draft.setTotpSecret('_two_factor_totp_key', meta.totpSecret);
  else if (hasTotp) draft.leaveOut('_two_factor_totp_key', reasons.noSecret);
  else if (meta.totpSecret && !meta.hasFactorList)
    draft.leaveOut('_two_factor_enabled_providers', ownReasons.noFactorList);
  const others = [...meta.factors].filter((name) => !/^Two_Factor_(Totp|Backup_Codes|Dummy)$/.test(name));
  if (others.length > 0 || meta.hasOtherFactor) draft.leaveOut('second factor', reasons.onlyTotp);
  if (meta.factors.has('Two_Factor_Backup_Codes') && meta.hasBackupCodes)
    draft.leaveOut('_two_factor_backup_codes', reasons.recoveryCodes);
  if (meta.hasOthers) draft.leaveOut('wp_usermeta', ownReasons.metadata);
}
