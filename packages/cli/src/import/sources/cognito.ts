import { usageError } from '../../cli-error.js';
import type { JsonObject } from '../../json-object.js';
import { isCsv, isInvalidRow, readColumns, readCsv, readJson } from '../read-files.js';
import { CustomerDraft, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  assertUsers,
  invalidRecord,
  leaveOutText,
  parseJson,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
} from '../source-values.js';
import { reasons } from '../reasons.js';

/** A user of a file of either format. */
interface CognitoUser {
  username: string;
  attributes: Map<string, string>;
  status: string;
  isDisabled: boolean;
  hasSecondFactor: boolean;
  createdAt: unknown;
  updatedAt: unknown;
}

/** The attributes that are fields of a customer, or that say nothing about the person. */
const knownAttributes = new Set([
  ...['sub', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'locale', 'identities'],
  ...['updated_at', 'phone_number', 'phone_number_verified', 'cognito:username', 'cognito:mfa_enabled'],
]);

/**
 * Reads the JSON of `aws cognito-idp list-users`, or CSV with the columns of `aws cognito-idp get-csv-header`. Cognito
 * exports neither password hashes nor secrets of authenticator apps.
 * Source: https://docs.aws.amazon.com/cli/latest/reference/cognito-idp/list-users.html
 */
export const cognito: ImportSource = {
  name: 'cognito',
  files:
    'the JSON of `aws cognito-idp list-users`, or CSV with the columns of `aws cognito-idp get-csv-header`',
  providers: { Google: 'google', SignInWithApple: 'apple' },
  read: readCognito,
};

async function* readCognito(files: readonly string[]): AsyncGenerator<SourceRecord> {
  yield* assertUsers(files, async function* () {
    for (const file of files) yield* isCsv(file) ? readRows(file) : readDocument(file);
  });
}

async function* readDocument(file: string): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readJson(file, '$.Users.*'))
    yield value ? convertCognitoUser(position, value) : invalidRecord(position);
}

async function* readRows(file: string): AsyncGenerator<SourceRecord> {
  const names = new Set(await readColumns(file));
  if (!names.has('cognito:username') || !names.has('email'))
    throw usageError(`${file} has no column cognito:username or email.`);
  for await (const { position, value } of readCsv(file))
    yield isInvalidRow(value) ? invalidRecord(position) : convertCognitoRow(position, value);
}

/** Returns a user of `list-users`. */
export function convertCognitoUser(position: string, user: JsonObject): SourceRecord {
  const attributes = toObjects(user['Attributes']).map(({ Name, Value }): [string, string] => [
    toText(Name),
    toText(Value),
  ]);
  return convert(position, {
    username: toText(user['Username']),
    attributes: new Map(attributes),
    status: toText(user['UserStatus']),
    isDisabled: user['Enabled'] === false,
    hasSecondFactor: toObjects(user['MFAOptions']).length > 0,
    createdAt: toMs(user['UserCreateDate']),
    updatedAt: toMs(user['UserLastModifiedDate']),
  });
}

/** Returns a row of a CSV file. */
export function convertCognitoRow(position: string, row: Record<string, string>): SourceRecord {
  const attributes = Object.entries(row).map(([name, value]): [string, string] => [name, value.trim()]);
  const updatedAt = row['updated_at']?.trim();
  return convert(position, {
    username: toText(row['cognito:username']),
    attributes: new Map(attributes.filter(([, value]) => value !== '')),
    status: '',
    isDisabled: false,
    hasSecondFactor: toText(row['cognito:mfa_enabled']).toLowerCase() === 'true',
    createdAt: undefined,
    updatedAt: updatedAt ? Number(updatedAt) * 1_000 : undefined,
  });
}

/** Returns a time in ms, or a text in ISO 8601. @param value such a text, or seconds with decimals (AWS CLI version 1) */
const toMs = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 1_000) : value);

function convert(position: string, user: CognitoUser): SourceRecord {
  const draft = new CustomerDraft();
  const read = (name: string): string => user.attributes.get(name) ?? '';
  const sourceId = read('sub') || user.username;
  draft.setId('sub', sourceId);
  draft.set('email', read('email')).set('emailVerified', read('email_verified').toLowerCase() === 'true');
  draft.setName('firstName', 'given_name', read('given_name'));
  draft.setName('lastName', 'family_name', read('family_name'));
  draft.setFullName('name', read('name'));
  if (read('locale') !== '') draft.setLocale('locale', read('locale'));
  setTime(draft, 'createdAt', 'UserCreateDate', user.createdAt);
  setTime(draft, 'updatedAt', 'UserLastModifiedDate', user.updatedAt);
  if (user.isDisabled) setDisabled(draft, [user.updatedAt, user.createdAt]);
  setProviders(draft, read('identities'));
  setMetadata(draft, user);
  leaveOutText(draft, 'phone_number', read('phone_number'), reasons.noPhone);
  // A user of a provider has no password, and its username consists of the provider and the id there.
  if (user.status !== 'EXTERNAL_PROVIDER') {
    if (![sourceId, read('email')].some((other) => other.toLowerCase() === user.username.toLowerCase()))
      leaveOutText(draft, 'Username', user.username, reasons.noUsername);
    draft.leaveOut('password', reasons.cognitoPassword);
  }
  if (user.hasSecondFactor) draft.leaveOut('mfa', reasons.cognitoFactor);
  return { position, sourceId: sourceId || null, customer: draft.finish(), leftOut: draft.leftOut };
}

function setProviders(draft: CustomerDraft, text: string): void {
  if (text === '') return;
  const list = parseJson(text);
  if (!Array.isArray(list)) draft.leaveOut('identities', reasons.identitiesNotList);
  const identities = [];
  for (const { providerName, providerType, userId } of toObjects(list)) {
    const [provider, subject] = [toText(providerName), toText(userId)];
    if (providerType === 'SAML') draft.leaveOut('identities', reasons.noSaml);
    else if (provider && subject) identities.push({ provider, subject });
    else draft.leaveOut('identities', reasons.identityWithoutId);
  }
  setIdentities(draft, identities);
}

/** Stores the other attributes as metadata, custom attributes without their prefix. */
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
