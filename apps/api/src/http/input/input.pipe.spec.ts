import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { GatehouseError } from '@gatehouse/domain';
import {
  EmailField,
  IntegerField,
  MetadataField,
  ObjectField,
  QueryIntegerField,
  SecretField,
  TextField,
  TextSetField,
} from './fields.js';
import { NameField, NameTextField } from './name-fields.js';
import { InputPipe } from './input.pipe.js';
import { SearchTextField } from './search-fields.js';

class Body {
  @EmailField() email!: string;
  @SecretField({ description: '', maxLength: 20 }) password!: string;
  @TextField({ description: '', maxLength: 5, optional: true }) firstName?: string;
}

class Inner {
  @TextField({ description: '', maxLength: 5, optional: true, nullable: true }) name?: string | null;
}

class Outer {
  @IntegerField({ description: '', min: 1, max: 9, optional: true }) count?: number;
  @ObjectField({ description: '', type: Inner, optional: true, nullable: true }) inner?: Inner | null;
  @MetadataField({ description: '' }) metadata?: Record<string, unknown>;
}

class Root {
  @ObjectField({ description: '', type: Outer }) outer!: Outer;
  @TextSetField({
    description: '',
    optional: true,
    maxItems: 2,
    isValid: (text) => text !== 'x',
    message: 'no',
  })
  set?: string[];
}

class Names {
  @NameField({ description: '' }) firstName?: string | null;
  @NameTextField({ description: '', optional: true, minLength: 1, maxLength: 10 }) name?: string;
  @SearchTextField('') q?: string;
}

class ListQuery {
  @QueryIntegerField({ description: '', min: 1, max: 200 }) limit?: number;
  @TextField({ description: '', optional: true, maxLength: 10 }) cursor?: string;
}

const pipe = new InputPipe();
const body = async (value: unknown, metatype: Type = Body) =>
  pipe.transform(value, { type: 'body', metatype });
const query = async (value: unknown) => pipe.transform(value, { type: 'query', metatype: ListQuery });

const validBody = { email: 'ada@example.com', password: 'correct horse' };
const fieldErrors = (...errors: [field: string, code: string][]) => ({
  code: 'validation_failed',
  details: { errors: errors.map(([field, code]) => expect.objectContaining({ field, code })) },
});

const inheritedNames = [
  'toString',
  'valueOf',
  'hasOwnProperty',
  'constructor',
  'isPrototypeOf',
  '__defineGetter__',
];

describe('InputPipe: bodies', () => {
  it('converts a body to its class: canonical email (EV-06), unchanged password (PW-01)', async () => {
    const sent = { email: '  ADA@Example.com ', password: '  e\u0301 \t', firstName: 'Ada' };
    const result = await body(sent);
    expect(result).toBeInstanceOf(Body);
    expect(result).toEqual({ ...sent, email: 'ada@example.com' });
  });

  it('reports every error at once', async () => {
    const rejected = body({ password: 'x'.repeat(21), firstName: 'Ada\u001b', extra: 1 });
    const { details } = (await rejected.catch((error: unknown) => error)) as GatehouseError;
    expect(details.errors!.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      'email required',
      'extra unknown_field',
      'firstName invalid',
      'password too_long',
    ]);
  });

  it('IN-07: rejects unknown fields, including names of Object.prototype members', async () => {
    for (const field of ['emailVerified', 'id', 'projectId', 'role', ...inheritedNames])
      await expect(body({ ...validBody, [field]: true })).rejects.toMatchObject(
        fieldErrors([field, 'unknown_field']),
      );
    const inherited = Object.fromEntries(inheritedNames.map((field) => [field, 'x']));
    await expect(body({ ...validBody, ...inherited })).rejects.toMatchObject(
      fieldErrors(...inheritedNames.map((field): [string, string] => [field, 'unknown_field'])),
    );
  });

  it('IN-08: rejects other types where a string is expected', async () => {
    for (const value of [42, true, null, {}, { $ne: '' }, [], ['correct horse']])
      for (const field of ['password', 'email', 'firstName'])
        await expect(body({ ...validBody, [field]: value })).rejects.toMatchObject({
          code: 'validation_failed',
        });
  });

  it('IN-05: rejects control characters in a name', async () => {
    for (const character of ['\u0000', '\u0007', '\n', '\u001f', '\u007f'])
      await expect(body({ ...validBody, firstName: `A${character}` })).rejects.toMatchObject(
        fieldErrors(['firstName', 'invalid']),
      );
  });

  it('rejects a missing body', async () => {
    await expect(body(undefined)).rejects.toMatchObject({ code: 'invalid_json' });
  });
});

describe('InputPipe: nested objects', () => {
  it('converts nested objects to their classes without changing any value', async () => {
    const metadata = { toString: 'x', valueOf: { hasOwnProperty: 1 } };
    const value = { outer: { count: 1, inner: { name: null }, metadata }, set: [] };
    const result = (await body(value, Root)) as Root;
    expect(result).toEqual(value);
    expect(result.outer.inner).toBeInstanceOf(Inner);
    await expect(body({ outer: { inner: null } }, Root)).resolves.toEqual({ outer: { inner: null } });
  });

  it('reports each error with its path, at every level', async () => {
    const outer = { count: 10, extra: 1, inner: { name: 'too long', other: 2 } };
    await expect(body({ outer, set: ['a', 'b', 'c'] }, Root)).rejects.toMatchObject(
      fieldErrors(
        ['outer.extra', 'unknown_field'],
        ['outer.count', 'invalid'],
        ['outer.inner.other', 'unknown_field'],
        ['outer.inner.name', 'too_long'],
        ['set', 'too_long'],
      ),
    );
  });

  it('IN-07: rejects fields named like an Object.prototype member', async () => {
    for (const name of [...inheritedNames, '__proto__']) {
      const inherited = Object.fromEntries([[name, 'x']]);
      await expect(body({ outer: { ...inherited, inner: inherited } }, Root)).rejects.toMatchObject({
        code: 'validation_failed',
      });
      await expect(body({ outer: { inner: inherited } }, Root)).rejects.toMatchObject(
        fieldErrors([`outer.inner.${name}`, 'unknown_field']),
      );
    }
  });

  it.each<[string, unknown, string, string]>([
    ...['text', 7, true, [], [{ count: 1 }]].flatMap((value): [string, unknown, string, string][] => [
      ['IN-08', { outer: value }, 'outer', 'invalid_type'],
      ['IN-08', { outer: { inner: value } }, 'outer.inner', 'invalid_type'],
    ]),
    ['missing', {}, 'outer', 'required'],
    ['null', { outer: null }, 'outer', 'invalid_type'],
    ['an invalid entry', { outer: {}, set: ['x'] }, 'set', 'invalid'],
    ['a repeated entry', { outer: {}, set: ['a', 'a'] }, 'set', 'invalid'],
    ['an entry of the wrong type', { outer: {}, set: [1] }, 'set', 'invalid'],
    ['not a list', { outer: {}, set: 'a' }, 'set', 'invalid_type'],
    ['null instead of a list', { outer: {}, set: null }, 'set', 'invalid_type'],
  ])('rejects invalid nested input: %s, %j', async (_, value, field, code) => {
    await expect(body(value, Root)).rejects.toMatchObject(fieldErrors([field, code]));
  });
});

describe('InputPipe: list queries', () => {
  it('IN-08: accepts a limit from 1 to 200', async () => {
    await expect(query({})).resolves.toEqual({});
    for (const limit of ['1', '50', '200', '007'])
      await expect(query({ limit })).resolves.toMatchObject({ limit: Number(limit) });
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', ' 1', 'ten', '0x10', '9'.repeat(30)])
      await expect(query({ limit })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('IN-07, IN-08: rejects a repeated, nested or unknown parameter', async () => {
    const nested = [{ 'limit[]': '1' }, { limit: { a: '1' } }, { cursor: ['a', 'b'] }];
    const unknown = [{ page: '2' }, ...inheritedNames.map((name) => ({ [name]: 'x' }))];
    for (const parameters of [...nested, ...unknown])
      await expect(query(parameters)).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(query({ limit: ['1', '2'] })).rejects.toMatchObject({
      details: {
        errors: [{ field: 'limit', code: 'repeated', message: 'limit must not be sent more than once' }],
      },
    });
  });
});

describe('name fields', () => {
  it('converts names to NFC, and customer names and search terms to one line', async () => {
    const text = ' Jose\u0301\r\nGarcía\n';
    const name = 'José García';
    await expect(body({ firstName: text, q: text }, Names)).resolves.toEqual({ firstName: name, q: name });
    // 10 characters in NFC, and 20 before the conversion.
    const long = 'e\u0301'.repeat(10);
    await expect(body({ name: long }, Names)).resolves.toEqual({ name: 'é'.repeat(10) });
    await expect(body({ name: `${long}e` }, Names)).rejects.toMatchObject(fieldErrors(['name', 'too_long']));
  });

  it('rejects control characters and names without visible characters', async () => {
    for (const text of ['\u200b', '\u202e\u202c', '\u3164 \u00ad', 'a\u0000', 'a\tb', '\u001b[31m'])
      await expect(body({ firstName: text, name: text }, Names)).rejects.toMatchObject(
        fieldErrors(['firstName', 'invalid'], ['name', 'invalid']),
      );
    await expect(body({ firstName: '\n', name: '' }, Names)).rejects.toMatchObject(
      fieldErrors(['name', 'too_short']),
    );
    for (const name of [' ', 'a\nb'])
      await expect(body({ name }, Names)).rejects.toMatchObject(fieldErrors(['name', 'invalid']));
    await expect(body({ firstName: ' ' }, Names)).resolves.toEqual({ firstName: null });
  });
});
