import { LOCALE_LENGTH } from '../languages/locale.js';
import {
  email,
  flag,
  jsonObject,
  nullable,
  openEnum,
  text,
  time,
  url,
  uuid,
  type JsonSchema,
} from '../values/json-schema.js';

/** `inherit`: the project's policy applies to the customer. */
export const customerMfaPolicies = ['inherit', 'required'] as const;
export type CustomerMfaPolicy = (typeof customerMfaPolicies)[number];

/** An end user of a project (contract, sections 1 and 4). */
export interface Customer {
  id: string;
  projectId: string;
  externalId: string | null;
  email: string;
  firstName: string | null;
  lastName: string | null;
  emailVerified: boolean;
  /** Returned only to secret keys, never by `/me` or in a token. */
  metadata: Record<string, unknown>;
  /** Also readable by the customer. */
  publicMetadata: Record<string, unknown>;
  /** Preferred language, as a canonical BCP 47 tag. */
  locale: string | null;
  /** An https image URL, from the first identity provider that returned one. */
  imageUrl: string | null;
  /** `required` if the customer must use a second factor regardless of the project setting `mfa`. */
  mfa: CustomerMfaPolicy;
  disabledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  lastLoginAt: Date | null;
}

/** The JSON representation of a value: times are strings in ISO 8601. */
type Json<Value> = Value extends Date ? string : Value;

/** A customer as in events and in responses to requests with a secret key. */
export type CustomerJson = { [Name in keyof Customer]: Json<Customer[Name]> };

interface CustomerField<Value> {
  schema: JsonSchema;
  /** The value for a new customer if the request does not set the field. */
  default?: Value;
  /** The value in event examples, if it differs from the default. */
  example?: Json<Value>;
}

/** Every customer field, in the order in which events contain them. See docs/development/recipes.md to add one. */
export const customerFields: { readonly [Name in keyof Customer]: CustomerField<Customer[Name]> } = {
  id: { schema: uuid },
  projectId: { schema: uuid },
  externalId: { schema: nullable(text), default: null },
  email: { schema: email, example: 'ada@example.com' },
  firstName: { schema: nullable(text), default: null, example: 'Ada' },
  lastName: { schema: nullable(text), default: null, example: 'Byron' },
  emailVerified: { schema: flag, default: false },
  metadata: { schema: { ...jsonObject, description: 'Readable only with a secret key' }, default: {} },
  publicMetadata: { schema: { ...jsonObject, description: 'Also readable by the customer' }, default: {} },
  locale: {
    schema: { ...nullable(text), maxLength: LOCALE_LENGTH, description: 'Preferred language (BCP 47)' },
    default: null,
    example: 'de-AT',
  },
  imageUrl: {
    schema: { ...nullable(url), description: 'Image from an identity provider' },
    default: null,
  },
  mfa: {
    schema: openEnum(
      'Whether the customer must use a second factor. `inherit` means that the project setting `mfa` applies',
      ...customerMfaPolicies,
    ),
    default: 'inherit',
  },
  disabledAt: { schema: nullable(time), default: null },
  createdAt: { schema: time },
  updatedAt: { schema: time },
  lastLoginAt: { schema: nullable(time), default: null },
};

export const customerFieldNames = Object.keys(customerFields) as (keyof Customer)[];

/** The fields that customers set themselves, at registration and with `PATCH /api/v1/me`. */
export const profileFields = ['firstName', 'lastName', 'locale'] as const satisfies (keyof Customer)[];

/** The fields in access tokens and in the responses that contain these tokens. */
export const identityFields = [
  'id',
  'externalId',
  'email',
  'firstName',
  'lastName',
  'emailVerified',
  'publicMetadata',
] as const satisfies (keyof Customer)[];

/** The fields that secret keys and imports can set, in the order in which events and the audit log list changes. */
export const changeableFields = [
  'email',
  'emailVerified',
  'firstName',
  'lastName',
  'externalId',
  'metadata',
  'publicMetadata',
  'locale',
  'mfa',
] as const satisfies (keyof Customer)[];

export type CustomerIdentity = Pick<Customer, (typeof identityFields)[number]>;
export type CustomerProfile = Pick<Customer, (typeof profileFields)[number]>;
export type ChangeableCustomer = Pick<Customer, (typeof changeableFields)[number]>;

/** The changeable fields in a request. For a new customer, a missing or null field is set to its default. */
export type CustomerInput = Pick<Customer, 'email'> & {
  [Name in keyof ChangeableCustomer]?: Customer[Name] | null | undefined;
};

/** Returns the request fields that are in `names` and not undefined. */
export const pickDefined = <Request extends object, Name extends keyof Request>(
  request: Request,
  names: readonly Name[],
): Pick<Request, Name> =>
  Object.fromEntries(
    names.filter((name) => request[name] !== undefined).map((name) => [name, request[name]]),
  ) as Pick<Request, Name>;

/** Returns a new customer's changeable fields, with defaults for missing ones. */
export function newCustomer(input: CustomerInput): ChangeableCustomer {
  // Imports call this for every customer, and Object.fromEntries would be slower.
  const customer: Record<string, unknown> = {};
  for (const name of changeableFields) customer[name] = input[name] ?? customerFields[name].default;
  return customer as unknown as ChangeableCustomer;
}

/** Returns a customer as in events and responses. */
export function customerJson(customer: Customer): CustomerJson {
  // Lists and exports call this for every customer, and Object.fromEntries would be slower.
  const json: Record<string, unknown> = {};
  for (const name of customerFieldNames) {
    const value = customer[name];
    json[name] = value instanceof Date ? value.toISOString() : value;
  }
  return json as unknown as CustomerJson;
}

/** Returns a customer with an example value in each field. */
export const exampleCustomer = (
  fields: Pick<CustomerJson, 'id' | 'projectId' | 'createdAt' | 'updatedAt'>,
): CustomerJson => {
  const examples = customerFieldNames.map((name) => {
    const { example, default: value } = customerFields[name];
    return [name, example ?? value];
  });
  return { ...(Object.fromEntries(examples) as CustomerJson), ...fields };
};
