import type { JsonObject } from '../json-object.js';
import { fitMetadata, limitsBeside, METADATA_LIMITS } from './fit-metadata.js';
import { hasInexactInteger } from './json-values.js';
import { explainRepeatedKey } from './repeated-keys.js';
import type { ImportedCustomer, LeftOut, SourceRecord } from './source.js';
import { reasons, type Reason } from './reasons.js';

/** The hash formats that Gatehouse accepts (docs/backend.md). The server checks their parameters. */
const ACCEPTED_HASH = new RegExp(
  `^(${[
    ...[
      /\$2[aby]\$/,
      /(argon2)?\$argon2id?\$/,
      /\$scrypt\$/,
      /\$pbkdf2(-sha1|-sha256|-sha512)?\$/,
      /\$fbscrypt\$/,
    ],
    ...[/bcrypt(_sha256)?\$/, /pbkdf2_sha(1|256)\$/, /scrypt[$:]/, /pbkdf2:sha(1|256|512):/],
    ...[/\$wp\$/, /\$[PH]\$/, /[0-9a-f]{32}:[0-9a-f]{128}$/, /AQAAAA/, /A[A-P][A-Za-z0-9+/]{64}==$/],
    // Only with --allow-fast-hashes.
    ...[/\{SSHA(256|512)?\}/, /\$sha(1|256|512)\$pf=/, /sha(256|512)\$/],
  ]
    .map(({ source }) => source)
    .join('|')})`,
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns true if a string is a valid customer id. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** A TOTP secret in base32 without padding. The shortest secret that Gatehouse accepts has 80 bits. */
const TOTP_SECRET = /^[A-Z2-7]{16,200}$/;

export const MAX_EXTERNAL_ID_LENGTH = 255;
const MAX_NAME_LENGTH = 100;
const MAX_IMAGE_LENGTH = 2_048;
/** The line breaks that the server converts to a space in a name. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
// oxlint-disable-next-line no-control-regex -- the pattern finds the characters that the server rejects
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
/** The strings that databases write instead of an empty value. The name `Null` is not one of them. */
const NULL_NAMES = new Set(['NULL', 'null', '\\N']);
/** A string without visible characters, which the server rejects as a name. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

export { exceedsDepth, hasInexactInteger } from './json-values.js';

/** Returns a record that reports a user, or a part of one, as not imported. */
export const notImported = (
  position: string,
  sourceId: string | null,
  field: string,
  reason: Reason,
): SourceRecord => {
  const repeated = reason === reasons.invalidRecord ? explainRepeatedKey(position) : null;
  return { position, sourceId, customer: null, leftOut: [repeated ?? { field, ...reason }] };
};

/** Returns a name as Gatehouse stores it. */
export const normalizeName = (name: string): string => name.normalize('NFC').replace(LINE_BREAK, ' ').trim();

/** Collects one customer's fields, and the values that are left out. */
export class CustomerDraft {
  readonly leftOut: LeftOut[] = [];
  /** True if the file does not state whether the user is banned. */
  private isBanUnknown = false;
  private readonly fields: Partial<ImportedCustomer> = {};

  /** Sets a field, unless the value is undefined, null or an empty string. */
  set<Name extends keyof ImportedCustomer>(
    name: Name,
    value: ImportedCustomer[Name] | null | undefined,
  ): this {
    if (value !== undefined && value !== null && value !== '') this.fields[name] = value;
    return this;
  }

  get hasTotpSecret(): boolean {
    return this.fields.totpSecret !== undefined;
  }

  leaveOut(field: string, reason: Reason): this {
    this.leftOut.push({ field, ...reason });
    return this;
  }

  /** Reports that the ban state is unknown, so that an update does not enable the customer. */
  leaveOutBan(field: string, reason: Reason): this {
    this.isBanUnknown = true;
    return this.leaveOut(field, reason);
  }

  /**
   * Sets the `externalId`, and also the customer id if the value is a UUID. Gatehouse assigns another id if this one is
   * taken, so the `externalId` is always set.
   */
  setId(field: string, id: string): this {
    if (UUID.test(id)) this.set('id', id.toLowerCase());
    if (id.length <= MAX_EXTERNAL_ID_LENGTH) return this.set('externalId', id);
    return this.leaveOut(field, reasons.longId);
  }

  /** Sets a name. Leaves out a name that the server would reject, because it would reject the entire customer. */
  setName(name: 'firstName' | 'lastName', field: string, value: string): this {
    const text = normalizeName(value);
    if (NULL_NAMES.has(text)) return this.leaveOut(field, reasons.nullName);
    if (text.length > MAX_NAME_LENGTH) return this.leaveOut(field, reasons.longName);
    if (CONTROL_CHARACTER.test(text)) return this.leaveOut(field, reasons.nameWithControlCharacters);
    if (INVISIBLE.test(text)) return this.leaveOut(field, reasons.invisibleName);
    return this.set(name, text);
  }

  /** Sets a password hash, unless Gatehouse does not accept its format. */
  setPasswordHash(field: string, hash: string): this {
    if (ACCEPTED_HASH.test(hash)) return this.set('passwordHash', hash);
    return this.leaveOut(field, reasons.hashFormat);
  }

  /** Sets an authenticator app's secret, in base32 with or without padding. */
  setTotpSecret(field: string, secret: string): this {
    const bare = secret.replace(/[\s=-]/g, '').toUpperCase();
    if (TOTP_SECRET.test(bare)) return this.set('totpSecret', bare);
    return this.leaveOut(field, reasons.secretNotBase32);
  }

  /**
   * Sets the metadata with the keys that fit, if any.
   * @param part a member that is a separate field in the files. Its keys use the space that the other members leave
   */
  setMetadata(
    name: 'metadata' | 'publicMetadata',
    field: string,
    value: JsonObject,
    part?: { field: string; value: JsonObject },
  ): this {
    let metadata = this.fitMetadata(field, value);
    if (part && Object.keys(part.value).length > 0) {
      const own = this.fitMetadata(part.field, part.value, limitsBeside(metadata, part.field));
      if (Object.keys(own).length > 0) metadata = { ...metadata, [part.field]: own };
    }
    return Object.keys(metadata).length === 0 ? this : this.set(name, metadata);
  }

  private fitMetadata(field: string, value: JsonObject, limits = METADATA_LIMITS): JsonObject {
    const { kept, dropped } = fitMetadata(value, limits);
    for (const { key, reason } of dropped) this.leaveOut(`${field}.${key}`, reason);
    return kept;
  }

  /** Sets an image if it is an https URL. The server would leave out any other URL. */
  setImage(field: string, url: unknown): this {
    const text = toText(url);
    if (text === '') return this;
    if (!/^https:\/\//i.test(text) || text.length > MAX_IMAGE_LENGTH)
      return this.leaveOut(field, reasons.noImageUrl);
    return this.set('imageUrl', text);
  }

  /** Sets the language, unless it is not a BCP 47 tag. */
  setLocale(field: string, locale: string): this {
    const tag = locale.replaceAll('_', '-');
    try {
      return this.set('locale', Intl.getCanonicalLocales(tag)[0]);
    } catch {
      return this.leaveOut(field, reasons.noLanguageTag);
    }
  }

  /** Splits a full name at its last space, unless a name is already set. */
  setFullName(field: string, name: string): this {
    if (this.fields.firstName || this.fields.lastName) return this;
    const space = name.trim().lastIndexOf(' ');
    if (space < 0) return this.setName('firstName', field, name);
    return this.setName('firstName', field, name.trim().slice(0, space)).setName(
      'lastName',
      field,
      name.trim().slice(space),
    );
  }

  /** Returns the user's record. @param sourceId the id in the other system, or an empty string if there is none */
  toRecord(position: string, sourceId: string): SourceRecord {
    const [customer, { leftOut, isBanUnknown }] = [this.finish(), this];
    return { position, sourceId: sourceId || null, customer, leftOut, ...(isBanUnknown && { isBanUnknown }) };
  }

  /** Returns the customer, or null if it has no email address. */
  finish(): ImportedCustomer | null {
    const { email } = this.fields;
    if (email) return { ...this.fields, email };
    this.leftOut.unshift({ field: 'email', ...reasons.noEmail });
    return null;
  }
}

/**
 * Returns a value as a string, or an empty string for anything that is not a string or an exact number. A rounded
 * number could be another account's id.
 */
export const toText = (value: unknown): string => {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' && !hasInexactInteger(value) ? String(value) : '';
};
