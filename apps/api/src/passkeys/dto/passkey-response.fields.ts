import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, Type as TypeOf } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import { decodeBase64Url, type PasskeyAssertion, type PasskeyRegistration } from '@gatehouse/platform';
import { describeField, presence } from '../../http/input/field-options.js';
import { CheckedField, TextListField } from '../../http/input/fields.js';

/** Schema of a base64url string. */
interface BytesSchema {
  type: 'string';
  description: string;
  minLength: number;
  maxLength: number;
  pattern: string;
}

const BASE64URL = '^[A-Za-z0-9_-]+$';
const TRANSPORT = '^[a-z-]{1,32}$';

const bytes = (description: string, maxLength: number): BytesSchema => ({
  type: 'string',
  description,
  minLength: 1,
  maxLength,
  pattern: BASE64URL,
});

/** 1,364 is the encoded length of a 1,023-byte credential id (WebAuthn, section 4). */
const id = bytes('Id of the passkey', 1364);
const clientDataJSON = bytes('Challenge and origin, as the browser has recorded them', 8192);
const transports = {
  description: 'How browsers reach the authenticator',
  maxItems: 10,
};

const assertionData = {
  clientDataJSON,
  authenticatorData: bytes('Flags and signature counter of the authenticator', 4096),
  signature: bytes('Signature of the passkey', 4096),
  userHandle: bytes('Id of the customer in the passkey', 88),
};
const optionalUserHandle = {
  ...assertionData.userHandle,
  type: ['string', 'null'],
  minLength: 0,
  pattern: '^[A-Za-z0-9_-]*$',
};

const registrationData = {
  clientDataJSON,
  attestationObject: bytes('Public key and flags of the authenticator', 32_768),
  transports: { ...transports, type: ['array', 'null'], items: { type: 'string', pattern: TRANSPORT } },
};

/**
 * Returns the schema of an object to which browsers may add members. Native wrappers send absent optional members as
 * null or an empty string.
 */
const browserObject = (properties: Record<string, object>, optional: string[] = []) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: true,
});

const credential = (response: object) =>
  browserObject({ id, rawId: id, type: { type: 'string', enum: ['public-key'] }, response });

const BytesField = ({ description, maxLength, pattern }: BytesSchema, optional = false): PropertyDecorator =>
  CheckedField({
    description,
    optional,
    // Two decoders read the values, and ids are compared as bytes, so each sequence of bytes must have exactly one
    // encoding.
    isValid: (text) =>
      text.length <= maxLength && new RegExp(pattern).test(text) && decodeBase64Url(text) !== null,
    message: `$property must be canonical base64url without padding, with at most ${maxLength} characters`,
  });

/**
 * An object from a browser. Unknown members are ignored, because browsers add new ones, and so are optional members
 * that are null or an empty string.
 */
const BrowserObjectField = (
  options: { description: string; optional?: boolean },
  schema: ReturnType<typeof browserObject>,
  type: Type,
): PropertyDecorator =>
  applyDecorators(
    describeField(options, schema),
    presence(options),
    IsObject(),
    ValidateNested(),
    TypeOf(() => type),
    Transform(({ value }: { value: unknown }) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      // Changed in place, because it is already an instance of its class.
      const members = value as Record<string, unknown>;
      for (const [name, member] of Object.entries(members)) {
        const isAbsent = !schema.required.includes(name) && (member === null || member === '');
        if (isAbsent || !(name in schema.properties)) delete members[name];
      }
      return value;
    }),
  );

/** Transports that browsers use to reach an authenticator, such as `internal`. */
export const TransportsField = (): PropertyDecorator =>
  TextListField({
    ...transports,
    optional: true,
    minItems: 0,
    itemSchema: { pattern: TRANSPORT },
    isValid: (text) => new RegExp(TRANSPORT).test(text),
    message: '$property must contain strings of at most 32 lowercase letters',
  });

class Credential {
  @BytesField(id) id!: string;
  @BytesField(id) rawId!: string;
  @CheckedField({
    description: 'Type of the credential',
    isValid: (text) => text === 'public-key',
    message: '$property must be public-key',
  })
  type!: 'public-key';
}

class AssertionData {
  @BytesField(assertionData.clientDataJSON) clientDataJSON!: string;
  @BytesField(assertionData.authenticatorData) authenticatorData!: string;
  @BytesField(assertionData.signature) signature!: string;
  @BytesField(assertionData.userHandle, true) userHandle?: string;
}

class RegistrationData {
  @BytesField(registrationData.clientDataJSON) clientDataJSON!: string;
  @BytesField(registrationData.attestationObject) attestationObject!: string;
  @TransportsField() transports?: string[];
}

const data = { description: 'Response of the authenticator' };
const assertionDataSchema = browserObject({ ...assertionData, userHandle: optionalUserHandle }, [
  'userHandle',
]);
const registrationDataSchema = browserObject(registrationData, ['transports']);

export class PasskeyAssertionRequest extends Credential implements PasskeyAssertion {
  @BrowserObjectField(data, assertionDataSchema, AssertionData) response!: AssertionData;
}

export class PasskeyRegistrationRequest extends Credential implements PasskeyRegistration {
  @BrowserObjectField(data, registrationDataSchema, RegistrationData) response!: RegistrationData;
}

/** JSON of a passkey that has signed a challenge. */
export const PasskeyAssertionField = (more: { optional?: boolean } = {}): PropertyDecorator =>
  BrowserObjectField(
    { description: '`toJSON()` of the credential that `navigator.credentials.get()` returned', ...more },
    credential(assertionDataSchema),
    PasskeyAssertionRequest,
  );

/** JSON of a new passkey. */
export const PasskeyRegistrationField = (): PropertyDecorator =>
  BrowserObjectField(
    { description: '`toJSON()` of the credential that `navigator.credentials.create()` returned' },
    credential(registrationDataSchema),
    PasskeyRegistrationRequest,
  );
