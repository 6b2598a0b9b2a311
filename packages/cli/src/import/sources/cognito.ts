import { usageError } from '../../cli-error.js';
import { NO_OPENID, withReason } from '../unusable-providers.js';
import { toObject, type JsonObject } from '../../json-object.js';
import { isCsv, isInvalidRow, readColumns, readCsv } from '../read-files.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  assertUsers,
  invalidRecord,
  isSet,
  leaveOutText,
  parseJson,
  readObjectList,
  setDisabled,
  setIdentities,
  setTime,
} from '../source-values.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { unknown } from '../unknown-reasons.js';
import { readAttributes } from './cognito-attributes.js';
import { readPages, type PageCount } from './cognito-pages.js';
import { cognitoReasons } from './cognito-reasons.js';

/** A user value that is unknown or left out, with the reason. */
type Unknown = [field: string, reason: Reason];

/** The status of a user that signs in with an identity provider. */
const EXTERNAL = 'EXTERNAL_PROVIDER';

/** A user from a file in either format. */
interface CognitoUser {
  username: string;
  attributes: Map<string, string>;
  status: string;
  isDisabled: boolean;
  hasSecondFactor: boolean;
  unknown: Unknown[];
  createdAt: unknown;
  updatedAt: unknown;
}

/** Seconds since 1970 as a string. */
const SECONDS = /^\s*\d{1,11}(\.\d+)?\s*$/;

/** Fields that are read, or that contain no information about the user. */
const knownFields = new Set([
  ...['Username', 'Attributes', 'UserAttributes', 'UserCreateDate', 'UserLastModifiedDate', 'Enabled'],
  ...['UserStatus', 'MFAOptions', 'UserMFASettingList', 'PreferredMfaSetting', 'Groups'],
  ...['ResponseMetadata', '$metadata'],
]);

/** Types of providers whose operator sets user attributes, including `email_verified`. */
const companyTypes = new Set(['SAML', 'OIDC']);
const socialProviders = new Set(['Google', 'SignInWithApple', 'Facebook', 'LoginWithAmazon']);

/** Attributes that become customer fields, or that contain no information about the user. */
const knownAttributes = new Set([
  ...['sub', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'locale', 'identities'],
  ...['updated_at', 'phone_number', 'phone_number_verified', 'cognito:username', 'cognito:mfa_enabled'],
]);

/**
 * Reads the JSON from `aws cognito-idp list-users` and `admin-get-user`, or CSV with the columns from `get-csv-header`.
 * Cognito exports neither password hashes nor authenticator app secrets. Source:
 * https://docs.aws.amazon.com/cli/latest/reference/cognito-idp/list-users.html
 */
export const cognito: ImportSource = {
  name: 'cognito',
  files:
    'the JSON of `aws cognito-idp list-users`, in any number of pages, or CSV with the columns of `aws cognito-idp get-csv-header`',
  providers: { Google: 'google', SignInWithApple: 'apple' },
  unusableProviders: withReason(NO_OPENID, ['Facebook', 'LoginWithAmazon']),
  read: readCognito,
};

async function* readCognito(files: readonly string[]): AsyncGenerator<SourceRecord> {
  const pages: PageCount = { all: 0, withNext: 0 };
  yield* assertUsers(files, async function* () {
    for (const file of files) yield* isCsv(file) ? readRows(file) : readJsonUsers(file, pages);
  });
  // Only the last page of an export has no token.
  if (pages.withNext > 0 && pages.withNext === pages.all)
    yield notImported('', null, 'PaginationToken', cognitoReasons.morePages);
}

async function* readJsonUsers(file: string, pages: PageCount): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readPages(file, pages)) {
    const user = toObject(value);
    yield user ? convertCognitoUser(position, user) : invalidRecord(position);
  }
}

async function* readRows(file: string): AsyncGenerator<SourceRecord> {
  const names = new Set(await readColumns(file));
  if (!names.has('cognito:username') || !names.has('email'))
    throw usageError(`${file} has no column cognito:username or email.`);
  for await (const { position, value } of readCsv(file))
    yield isInvalidRow(value) ? invalidRecord(position) : convertCognitoRow(position, value);
}

/**
 * Converts a user from `list-users`, or from `admin-get-user`, which uses other names and contains the second factors.
 */
export function convertCognitoUser(position: string, user: JsonObject): SourceRecord {
  const [status, enabled] = [toText(user['UserStatus']), parseBoolean(user['Enabled'])];
  if (enabled === null)
    return notImported(position, toText(user['Username']) || null, 'Enabled', unknown.ban);
  const isComplete = Array.isArray(user['UserAttributes']);
  const list = user[isComplete ? 'UserAttributes' : 'Attributes'];
  const { attributes, repeated } = readAttributes(list);
  const factors = [user['MFAOptions'], user['UserMFASettingList'], user['PreferredMfaSetting']];
  const hasSecondFactor = factors.some(isSet);
  const isKnown = isComplete || user['UserMFASettingList'] !== undefined || hasSecondFactor;
  return convert(position, {
    username: toText(user['Username']),
    attributes,
    status,
    isDisabled: enabled === false,
    hasSecondFactor,
    unknown: [
      ...listUnlessKnown(isKnown || status === EXTERNAL, 'mfa', cognitoReasons.unknownFactor),
      ...listUnlessKnown(
        typeof enabled === 'boolean' && status !== '',
        'Enabled',
        cognitoReasons.unknownState,
      ),
      ...findOthers(user),
      ...repeated.map((name): Unknown => [name, cognitoReasons.repeatedAttribute]),
    ],
    createdAt: toMs(user['UserCreateDate']),
    updatedAt: toMs(user['UserLastModifiedDate']),
  });
}

/** Returns the entries for groups, for missing group information, and for values that no customer field can store. */
function findOthers(user: JsonObject): Unknown[] {
  const groups = user['Groups'];
  const hasValue = (value: unknown): boolean => isSet(value) || value === false || value === 0;
  return [
    ...listUnlessKnown(groups !== undefined, 'groups', cognitoReasons.unknownGroups),
    ...listUnlessKnown(!isSet(groups), 'groups', reasons.noGroups),
    ...Object.keys(user)
      .filter((name) => !knownFields.has(name) && hasValue(user[name]))
      .map((name): Unknown => [name, reasons.noField]),
  ];
}

/** Converts a CSV row. */
export function convertCognitoRow(position: string, row: Record<string, string>): SourceRecord {
  const attributes = Object.entries(row).map(([name, value]): [string, string] => [name, value.trim()]);
  const updatedAt = row['updated_at']?.trim();
  const hasSecondFactor = isSet(row['cognito:mfa_enabled']);
  return convert(position, {
    username: toText(row['cognito:username']),
    attributes: new Map(attributes.filter(([, value]) => value !== '')),
    status: '',
    isDisabled: false,
    hasSecondFactor,
    unknown: [
      ['Enabled', cognitoReasons.unknownState],
      ['identities', cognitoReasons.unknownIdentities],
      ...listUnlessKnown(hasSecondFactor, 'mfa', cognitoReasons.unknownAuthenticator),
      ['groups', cognitoReasons.unknownGroups],
    ],
    createdAt: undefined,
    updatedAt: toMs(updatedAt),
  });
}

/** Returns a list with the field and its reason, or an empty list if the value is known. */
const listUnlessKnown = (isKnown: boolean, field: string, reason: Reason): Unknown[] =>
  isKnown ? [] : [[field, reason]];

/**
 * Converts seconds since 1970 to ms. Returns any other value unchanged.
 * @param value an ISO 8601 string, or seconds with decimals (AWS CLI version 1, and CSV)
 */
function toMs(value: unknown): unknown {
  const isSeconds = typeof value === 'number' || (typeof value === 'string' && SECONDS.test(value));
  return isSeconds ? Math.round(Number(value) * 1_000) : value;
}

function convert(position: string, user: CognitoUser): SourceRecord {
  const draft = new CustomerDraft();
  const read = (name: string): string => user.attributes.get(name) ?? '';
  const sourceId = read('sub') || user.username;
  draft.setId('sub', sourceId);
  draft.set('email', read('email'));
  draft.setName('firstName', 'given_name', read('given_name'));
  draft.setName('lastName', 'family_name', read('family_name'));
  draft.setFullName('name', read('name'));
  if (read('locale') !== '') draft.setLocale('locale', read('locale'));
  setTime(draft, 'createdAt', 'UserCreateDate', user.createdAt);
  setTime(draft, 'updatedAt', 'UserLastModifiedDate', user.updatedAt);
  const identities = setProviders(draft, read('identities'));
  setVerified(draft, user, identities);
  setMetadata(draft, user);
  leaveOutText(draft, 'phone_number', read('phone_number'), reasons.noPhone);
  setStatus(draft, user);
  // The username of a user that signs in with a provider consists of the provider and the id at the provider.
  const usernames = [sourceId, read('email')].map((other) => other.toLowerCase());
  if (user.status === EXTERNAL) {
    if (read('identities') === '') draft.leaveOut('identities', cognitoReasons.missingIdentity);
  } else {
    if (!usernames.includes(user.username.toLowerCase()))
      leaveOutText(draft, 'Username', user.username, reasons.noUsername);
    // Users that sign in with a provider have no password.
    draft.leaveOut('password', passwordReasons.get(user.status) ?? reasons.cognitoPassword);
  }
  if (user.hasSecondFactor) draft.leaveOut('mfa', reasons.cognitoFactor);
  for (const [field, reason] of user.unknown)
    if (field === 'Enabled') draft.leaveOutBan(field, reason);
    else draft.leaveOut(field, reason);
  return draft.toRecord(position, sourceId);
}

/** The reasons for a missing password, by status. For all others, the reason is that Cognito does not export hashes. */
const passwordReasons: ReadonlyMap<string, Reason> = new Map([
  ['RESET_REQUIRED', cognitoReasons.passwordToReset],
  ['FORCE_CHANGE_PASSWORD', cognitoReasons.temporaryPassword],
]);

/** The reasons for statuses that Gatehouse does not have. */
const statusReasons: ReadonlyMap<string, Reason> = new Map([
  ['UNCONFIRMED', cognitoReasons.notConfirmed],
  ['ARCHIVED', cognitoReasons.archived],
  ['COMPROMISED', cognitoReasons.compromised],
  ['UNKNOWN', cognitoReasons.unknownStatus],
]);

const usualStatuses = new Set(['', 'CONFIRMED', EXTERNAL, ...passwordReasons.keys()]);

/** Disables the customer if the user cannot sign in. */
function setStatus(draft: CustomerDraft, { status, isDisabled, createdAt, updatedAt }: CognitoUser): void {
  const isLocked = status === 'ARCHIVED' || status === 'COMPROMISED';
  if (isDisabled || isLocked) setDisabled(draft, [updatedAt, createdAt]);
  const reason =
    statusReasons.get(status) ?? (usualStatuses.has(status) ? null : cognitoReasons.unknownStatus);
  if (reason) draft.leaveOut('UserStatus', reason);
}

/** Sets whether the email address is verified. */
function setVerified(
  draft: CustomerDraft,
  { attributes, status }: CognitoUser,
  identities: JsonObject[],
): void {
  const isVerified = readFlag(draft, 'email_verified', attributes.get('email_verified'));
  const isCompanyAddress = identities.some(({ providerType }) => companyTypes.has(toType(providerType)));
  const isUnknown =
    !isCompanyAddress &&
    (identities.some(
      ({ providerType, providerName }) =>
        toType(providerType) === '' && !socialProviders.has(toText(providerName)),
    ) ||
      // The provider of such a user is unknown.
      (status === EXTERNAL && identities.length === 0));
  draft.set('emailVerified', isVerified && !isCompanyAddress && !isUnknown);
  if (isVerified && isCompanyAddress) draft.leaveOut('email_verified', reasons.companyAddress);
  if (isVerified && isUnknown) draft.leaveOut('email_verified', unknown.provenance);
}

const toType = (value: unknown): string => toText(value).toUpperCase();

/**
 * Sets the accounts with identity providers.
 * @returns all accounts in the attribute, including those that are left out
 */
function setProviders(draft: CustomerDraft, text: string): JsonObject[] {
  if (text === '') return [];
  const list = parseJson(text);
  if (!Array.isArray(list)) draft.leaveOut('identities', reasons.identitiesNotList);
  const identities = [];
  const accounts = readObjectList(draft, 'identities', Array.isArray(list) ? list : []);
  for (const { providerName, providerType, userId } of accounts) {
    const [provider, subject] = [toText(providerName), toText(userId)];
    if (toType(providerType) === 'SAML') draft.leaveOut('identities', reasons.noSaml);
    else if (provider && subject) identities.push({ provider, subject });
    else draft.leaveOut('identities', reasons.identityWithoutId);
  }
  setIdentities(draft, identities);
  return accounts;
}

/** Stores the other attributes as metadata, and removes the prefix of custom attributes. */
function setMetadata(draft: CustomerDraft, { attributes }: CognitoUser): void {
  const metadata: JsonObject = {};
  const read = (name: string): string => attributes.get(name) ?? '';
  const names = [read('given_name'), read('family_name')].filter((name) => name !== '').join(' ');
  if (names !== '' && names !== read('name')) addMetadata(draft, metadata, 'name', read('name'));
  for (const [name, value] of attributes)
    if (!knownAttributes.has(name) && !name.includes('custom:')) addMetadata(draft, metadata, name, value);
  for (const [name, value] of attributes) {
    if (!name.includes('custom:')) continue;
    const short = name.slice(name.indexOf('custom:') + 'custom:'.length);
    addMetadata(draft, metadata, Object.hasOwn(metadata, short) ? name : short, value);
  }
  draft.setMetadata('metadata', 'Attributes', metadata);
}
