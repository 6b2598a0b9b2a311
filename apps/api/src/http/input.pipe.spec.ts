import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { EmailField, SecretField, TextField } from './fields.js';
import { InputPipe } from './input.pipe.js';
import { PageQuery } from './paging.js';

class Body {
  @EmailField() email!: string;
  @SecretField({ description: '', maxLength: 20 }) password!: string;
  @TextField({ description: '', maxLength: 5, optional: true }) firstName?: string;
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

  it('nothing given is nothing set', async () => {
    await expect(query({})).resolves.toEqual({});
  });
});
