import { toObject, type JsonObject } from '../../json-object.js';
import { NO_OPENID, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { readDocuments } from '../read-documents.js';
import { readObjects } from '../read-files.js';
import { readText } from '../read-text.js';
import { CustomerDraft, isUuid, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  assertUsers,
  invalidRecord,
  isAbsent,
  isSet,
  leaveOutOthers,
  leaveOutText,
  readObject,
  readObjectList,
  readString,
  setDisabled,
  setTime,
  toObjects,
} from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { setKratosCredentials } from './kratos-credentials.js';

const ownReasons = {
  noCredentials: {
    reason: 'The export does not contain the credentials of the identity',
    remedy: 'Export again with include_credential=password and the other types, and run the command again',
  },
} satisfies Record<string, Reason>;

const knownFields = new Set([
  ...['id', 'credentials', 'schema_id', 'schema_url', 'state', 'state_changed_at', 'traits', 'external_id'],
  ...['verifiable_addresses', 'recovery_addresses', 'metadata_public', 'metadata_admin'],
  ...['created_at', 'updated_at', 'region'],
]);

/** Traits that become customer fields, or that are reported. Further names are in `nameFields`. */
const knownTraits = new Set(['email', 'name', 'username', 'phone']);

/** The customer field for each member that contains a first or last name, in the traits or in the `name` trait. */
const nameFields = new Map<string, 'firstName' | 'lastName'>([
  ...['first', 'first_name', 'firstName', 'given_name', 'givenName'].map((name): [string, 'firstName'] => [
    name,
    'firstName',
  ]),
  ...['last', 'last_name', 'lastName', 'family_name', 'familyName'].map((name): [string, 'lastName'] => [
    name,
    'lastName',
  ]),
]);

/** An identity in a file. `identity` is null for a record in another format. */
interface IdentityRecord {
  position: string;
  identity: JsonObject | null;
  /** The customer's id in Gatehouse, if the file contains it. */
  customerId?: string;
}

/** The start of a `PATCH /admin/identities` body. */
const PATCH_BODY = /^\s*\{\s*"identities"\s*:\s*\[/;

/**
 * Reads Ory Kratos identities as `GET /admin/identities` returns them with `include_credential`, and bodies for `PATCH
 * /admin/identities`, which `customers export --to kratos` writes
 * (https://www.ory.sh/docs/reference/api#tag/identity/operation/listIdentities).
 */
export const kratos: ImportSource = {
  name: 'kratos',
  files:
    'identities as JSON from the admin API with include_credential, or the files of customers export --to kratos',
  // Depending on the provider's configuration, the id at Microsoft is `sub` or `oid`.
  providers: { google: 'google', github: 'github', apple: 'apple', discord: 'discord', gitlab: 'gitlab' },
  unusableProviders: withReason(NO_OPENID, SOCIAL_WITHOUT_OPENID),
  options: [
    {
      flags: '--rp-id <domain>',
      description:
        'passkey domain, which must equal passkeys.rpId of the project. Default: passkeys are left out',
    },
  ],
  read: (files, { values }) =>
    assertUsers(files, async function* () {
      for (const file of files)
        for await (const record of readIdentities(file)) yield convertIdentity(record, values['rpId']);
    }),
};

async function* readIdentities(file: string): AsyncGenerator<IdentityRecord> {
  if (await isPatchBody(file))
    for await (const { position, value } of readDocuments(file, ['$.identities.*']))
      yield { position, ...toIdentity(toObject(value)) };
  else for await (const { position, value } of readObjects(file)) yield { position, identity: value };
}

async function isPatchBody(file: string): Promise<boolean> {
  for await (const text of readText(file))
    if (text.trim() !== '') return PATCH_BODY.test(text.slice(0, 4_096));
  return false;
}

/**
 * Returns the identity in an element of a body, with the id in `external_id` or `patch_id`. Exports from Gatehouse
 * contain the customer id as `gatehouse_id` in `metadata_admin`.
 */
function toIdentity(patch: JsonObject | null): Omit<IdentityRecord, 'position'> {
  const create = toObject(patch?.['create']);
  if (!create) return { identity: null };
  const { external_id: externalId, ...others } = create;
  const identity = {
    // If the body contains no addresses, Kratos adds the address in the traits as not verified.
    verifiable_addresses: [
      { via: 'email', value: toText(toObject(create['traits'])?.['email']), verified: false },
    ],
    ...others,
    id: toText(externalId) || toText(patch?.['patch_id']),
  };
  const { gatehouse_id: value, ...metadata } = toObject(create['metadata_admin']) ?? {};
  const customerId = toText(value);
  return isUuid(customerId)
    ? { identity: { ...identity, metadata_admin: metadata }, customerId }
    : { identity };
}

function convertIdentity(
  { position, identity, customerId }: IdentityRecord,
  rpId: string | undefined,
): SourceRecord {
  if (!identity) return invalidRecord(position);
  const id = toText(identity['id']);
  if (!id || !toObject(identity['traits'])) return invalidRecord(position);
  const state = identity['state'] ?? null;
  if (state !== null && state !== 'active' && state !== 'inactive')
    return notImported(position, id, 'state', unknown.ban);
  const draft = new CustomerDraft().setId('id', id).set('id', customerId);
  setEmail(draft, identity);
  setTraits(draft, identity);
  setTime(draft, 'createdAt', 'created_at', identity['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', identity['updated_at']);
  if (state === null) draft.leaveOutBan('state', unknown.banState);
  if (state === 'inactive')
    setDisabled(draft, [identity['state_changed_at'], identity['updated_at'], identity['created_at']]);
  const credentials = toObject(identity['credentials']);
  if (credentials) setKratosCredentials(draft, credentials, rpId);
  else draft.leaveOut('credentials', ownReasons.noCredentials);
  leaveOutOthers(draft, identity, knownFields);
  return draft.toRecord(position, id);
}

/** Sets the email address: the `email` trait, or else the first verifiable address. */
function setEmail(draft: CustomerDraft, identity: JsonObject): void {
  const addresses = readObjectList(draft, 'verifiable_addresses', identity['verifiable_addresses']).filter(
    ({ via }) => via === 'email',
  );
  const emails = [
    readString(draft, 'traits.email', toObject(identity['traits'])?.['email']),
    ...addresses.map(({ value }) => toText(value)),
  ].filter((text) => text !== '');
  const [email] = emails;
  if (email === undefined) return;
  const isEmail = (text: unknown): boolean => toText(text).toLowerCase() === email.toLowerCase();
  const own = addresses.filter(({ value }) => isEmail(value));
  draft
    .set('email', email)
    .set(
      'emailVerified',
      own.map(({ verified }) => readFlag(draft, 'verifiable_addresses', verified)).includes(true),
    );
  // Kratos does not list addresses that it does not verify.
  if (own.every(({ verified }) => parseBoolean(verified) === undefined))
    draft.leaveOut('verifiable_addresses', unknown.verification);
  if (!emails.every(isEmail)) draft.leaveOut('verifiable_addresses', reasons.oneEmail);
  leaveOutRecoveryAddresses(draft, identity, isEmail);
}

/** Reports recovery addresses other than the customer's email address. */
function leaveOutRecoveryAddresses(
  draft: CustomerDraft,
  identity: JsonObject,
  isEmail: (text: unknown) => boolean,
): void {
  const field = 'recovery_addresses';
  const addresses = readObjectList(draft, field, identity[field]);
  let others = addresses.filter(({ value }) => !isEmail(value));
  if (others.length === 0) return;
  const verifiable = toObjects(identity['verifiable_addresses']).map(({ value }) => toText(value));
  others = others.filter(({ value }) => !verifiable.includes(toText(value)));
  if (others.some(({ via }) => via === 'sms')) draft.leaveOut(field, reasons.noPhone);
  if (others.some(({ via }) => via !== 'sms')) draft.leaveOut(field, reasons.oneEmail);
}

function setTraits(draft: CustomerDraft, identity: JsonObject): void {
  const traits = toObject(identity['traits'])!;
  const fullName = toText(traits['name']);
  const parts = fullName === '' ? readObject(draft, 'traits.name', traits['name']) : {};
  const names = { firstName: '', lastName: '' };
  const otherParts = takeNames(names, parts);
  // Users can change their traits in Kratos, so they stay separate from the other metadata.
  const others = takeNames(names, traits).filter(([each]) => !knownTraits.has(each));
  const { firstName, lastName } = names;
  draft
    .setName('firstName', 'traits.name', firstName)
    .setName('lastName', 'traits.name', lastName)
    .setFullName('traits.name', fullName);
  // A full name that differs from the first and last name.
  if (firstName + lastName !== '' && fullName !== '' && fullName !== `${firstName} ${lastName}`.trim())
    others.push(['name', fullName]);
  if (otherParts.length > 0) others.push(['name', Object.fromEntries(otherParts)]);
  leaveOutText(draft, 'traits.username', traits['username'], reasons.noUsername);
  const phones = toObjects(identity['verifiable_addresses']).filter(({ via }) => via === 'sms');
  if (phones.length > 0 || isSet(traits['phone'])) draft.leaveOut('traits.phone', reasons.noPhone);
  const admin = { ...readObject(draft, 'metadata_admin', identity['metadata_admin']) };
  if (others.length > 0) addMetadata(draft, admin, 'traits', Object.fromEntries(others));
  addMetadata(draft, admin, 'external_id', identity['external_id']);
  draft
    .setMetadata('metadata', 'metadata_admin', admin)
    .setMetadata(
      'publicMetadata',
      'metadata_public',
      readObject(draft, 'metadata_public', identity['metadata_public']),
    );
}

/** Sets each name to its first value, and returns the members that contain anything else, such as a second value. */
function takeNames(
  names: Record<'firstName' | 'lastName', string>,
  object: JsonObject,
): [name: string, value: unknown][] {
  return Object.entries(object).filter(([member, value]) => {
    const field = nameFields.get(member);
    if (field === undefined) return true;
    const text = toText(value);
    if (text === '') return !isAbsent(value);
    names[field] ||= text;
    return names[field] !== text;
  });
}
