import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import {
  EmailField,
  IntegerField,
  MetadataField,
  ObjectField,
  SecretField,
  TextField,
  TextSetField,
} from './fields.js';
import { InputPipe } from './input.pipe.js';
import { PageQuery } from './paging.js';

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

class Nest {
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

const pipe = new InputPipe();
const body = (value: unknown, metatype: Type = Body) => pipe.transform(value, { type: 'body', metatype });
const query = (value: unknown) => pipe.transform(value, { type: 'query', metatype: PageQuery });

const good = { email: 'ada@example.com', password: 'correct horse' };
const faults = (...errors: [field: string, code: string][]) => ({
  code: 'validation_failed',
  details: { errors: errors.map(([field, code]) => expect.objectContaining({ field, code })) },
});

describe('InputPipe: bodies', () => {
  it('turns a body into its class', async () => {
    const result = await body({ ...good, firstName: 'Ada' });
    expect(result).toBeInstanceOf(Body);
    expect(result).toEqual({ ...good, firstName: 'Ada' });
  });

  it('EV-06: an e-mail comes out in its canonical form', async () => {
    await expect(body({ ...good, email: '  ADA@Example.com ' })).resolves.toMatchObject({
      email: 'ada@example.com',
    });
  });

  it('PW-01: a password comes out as it came in', async () => {
    await expect(body({ ...good, password: '  e\u0301 \t' })).resolves.toMatchObject({
      password: '  e\u0301 \t',
    });
  });

  it('names every fault at once', async () => {
    await expect(body({ password: 'x'.repeat(21), firstName: 'Ada\u001b', extra: 1 })).rejects.toMatchObject({
      code: 'validation_failed',
      details: {
        errors: expect.arrayContaining([
          expect.objectContaining({ field: 'email', code: 'required' }),
          expect.objectContaining({ field: 'password', code: 'too_long' }),
          expect.objectContaining({ field: 'firstName', code: 'invalid' }),
          expect.objectContaining({ field: 'extra', code: 'unknown_field' }),
        ]),
      },
    });
  });

  it.each(['emailVerified', 'id', 'projectId', 'role'])(
    'IN-07: refuses the unknown field %s',
    async (field) => {
      await expect(body({ ...good, [field]: true })).rejects.toMatchObject(faults([field, 'unknown_field']));
    },
  );

  it.each(['toString', 'hasOwnProperty', 'valueOf'])('IN-07: refuses the unknown field %s', async (field) => {
    await expect(body({ ...good, [field]: 'x' })).rejects.toMatchObject(faults([field, 'unknown_field']));
    await expect(query({ [field]: 'x' })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('IN-07: names every unknown field that is called like a member of every object', async () => {
    const fields = ['toString', 'valueOf', 'hasOwnProperty', 'constructor', 'isPrototypeOf'];
    const hostile = Object.fromEntries(fields.map((field) => [field, 'x']));
    await expect(body({ ...good, ...hostile })).rejects.toMatchObject(
      faults(...fields.map((field): [string, string] => [field, 'unknown_field'])),
    );
  });

  it.each([[42], [true], [null], [{}], [{ $ne: '' }], [[]], [['correct horse']]])(
    'IN-08: refuses %j for a string',
    async (value) => {
      await expect(body({ ...good, password: value })).rejects.toMatchObject({ code: 'validation_failed' });
      await expect(body({ ...good, email: value })).rejects.toMatchObject({ code: 'validation_failed' });
      await expect(body({ ...good, firstName: value })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );

  it.each(['\u0000', '\u0007', '\n', '\u001f', '\u007f'])(
    'IN-05: refuses the control character %j in a name',
    async (character) => {
      await expect(body({ ...good, firstName: `A${character}` })).rejects.toMatchObject(
        faults(['firstName', 'invalid']),
      );
    },
  );

  it('a missing body is not an empty one', async () => {
    await expect(body(undefined)).rejects.toMatchObject({ code: 'invalid_json' });
  });
});

describe('InputPipe: objects within objects', () => {
  it('come out as their classes, and as they came in', async () => {
    const value = { outer: { count: 1, inner: { name: null } }, set: [] };
    const result = (await body(value, Nest)) as Nest;
    expect(result).toEqual(value);
    expect(result.outer.inner).toBeInstanceOf(Inner);
    await expect(body({ outer: { inner: null } }, Nest)).resolves.toEqual({ outer: { inner: null } });
  });

  it('have every fault named by its path, at every level', async () => {
    const value = {
      outer: { count: 10, extra: 1, inner: { name: 'too long', other: 2 } },
      set: ['a', 'b', 'c'],
    };
    await expect(body(value, Nest)).rejects.toMatchObject(
      faults(
        ['outer.extra', 'unknown_field'],
        ['outer.count', 'invalid'],
        ['outer.inner.other', 'unknown_field'],
        ['outer.inner.name', 'too_long'],
        ['set', 'too_long'],
      ),
    );
  });

  it.each([['text'], [7], [true], [[]], [[{ count: 1 }]]])('IN-08: %j is none', async (value) => {
    await expect(body({ outer: value }, Nest)).rejects.toMatchObject(faults(['outer', 'invalid_type']));
    await expect(body({ outer: { inner: value } }, Nest)).rejects.toMatchObject(
      faults(['outer.inner', 'invalid_type']),
    );
  });

  it('are neither missing nor null unless they may be', async () => {
    await expect(body({}, Nest)).rejects.toMatchObject(faults(['outer', 'required']));
    await expect(body({ outer: null }, Nest)).rejects.toMatchObject(faults(['outer', 'invalid_type']));
  });

  it.each(['toString', 'hasOwnProperty', 'constructor', '__proto__', '__defineGetter__'])(
    'IN-07: have no field %s, whatever it holds',
    async (name) => {
      const hostile = Object.fromEntries([[name, 'x']]);
      await expect(body({ outer: { ...hostile, inner: hostile } }, Nest)).rejects.toMatchObject({
        code: 'validation_failed',
      });
      await expect(body({ outer: { inner: hostile } }, Nest)).rejects.toMatchObject(
        faults([`outer.inner.${name}`, 'unknown_field']),
      );
    },
  );

  it("keep the names of the caller's own objects", async () => {
    const metadata = { toString: 'x', valueOf: { hasOwnProperty: 1 } };
    await expect(body({ outer: { metadata } }, Nest)).resolves.toEqual({ outer: { metadata } });
  });

  it.each([
    [['x'], 'invalid'],
    [['a', 'a'], 'invalid'],
    [[1], 'invalid'],
    ['a', 'invalid_type'],
    [null, 'invalid_type'],
  ])('a set is not %j', async (set, code) => {
    await expect(body({ outer: {}, set }, Nest)).rejects.toMatchObject(faults(['set', code]));
  });
});

describe('InputPipe: the query of a list', () => {
  it.each([
    ['1', 1],
    ['50', 50],
    ['200', 200],
    ['007', 7],
  ])('IN-08: limit=%s is %d', async (limit, number) => {
    await expect(query({ limit })).resolves.toMatchObject({ limit: number });
  });

  it.each(['0', '201', '-1', '1.5', '1e2', '', ' 1', 'ten', '0x10', '9'.repeat(30)])(
    'IN-08: refuses limit=%j',
    async (limit) => {
      await expect(query({ limit })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );

  it('IN-08: refuses a repeated, nested or unknown parameter', async () => {
    for (const hostile of [
      { limit: ['1', '2'] },
      { 'limit[]': '1' },
      { limit: { a: '1' } },
      { cursor: ['a', 'b'] },
      { page: '2' },
    ]) {
      await expect(query(hostile)).rejects.toMatchObject({ code: 'validation_failed' });
    }
  });

  it('says so when a parameter is given twice', async () => {
    await expect(query({ limit: ['1', '2'] })).rejects.toMatchObject({
      details: { errors: [{ field: 'limit', code: 'repeated', message: 'limit is given more than once' }] },
    });
  });

  it('nothing given is nothing set', async () => {
    await expect(query({})).resolves.toEqual({});
  });
});
