import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { splitWords } from '../../../../../test/support/split-words.js';
import { bodyReader } from './body-reader.js';

type Headers = Record<string, string>;

/** Runs the readers as Express does, and returns the body that handlers receive. */
async function read(
  chunks: (string | Buffer)[],
  headers: Headers,
  path = '/api/v1/auth/login',
): Promise<unknown> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)));
  const request = Object.assign(stream, { headers, path }) as unknown as Request;
  for (const reader of bodyReader((_request, _response, next) => next())) {
    await new Promise<void>((resolve, reject) => {
      Promise.resolve(reader(request, {} as Response, () => resolve())).catch(reject);
    });
  }
  return request.body;
}

const json = (text: string, headers: Headers = {}) =>
  read([text], {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });

const rejection = (code: string) => expect.objectContaining({ code });

describe('bodyReader', () => {
  it('IN-03: reads JSON in UTF-8', async () => {
    const charsets = ['; charset=utf-8', ';charset=UTF-8', '; charset="utf-8"', ' ; charset = utf-8 '];
    const types = ['APPLICATION/JSON', ...['', ...charsets].map((charset) => `application/json${charset}`)];
    for (const type of types)
      await expect(json('{"a":1}', { 'content-type': type })).resolves.toEqual({ a: 1 });
  });

  it('IN-03: rejects any other content type and a missing one', async () => {
    const others = splitWords(`text/plain text/json application/problem+json application/jsonp
      application/json-patch+json application/x-www-form-urlencoded`);
    const parameters = ['charset=latin1', 'charset=utf-16', 'charset=utf-8; charset=utf-16'];
    const lists = [
      'application/json, text/plain',
      'text/plain; application/json',
      'multipart/form-data; boundary=x',
    ];
    const types = [
      '',
      ...others,
      ...lists,
      ...parameters.map((parameter) => `application/json; ${parameter}`),
    ];
    for (const type of types)
      await expect(json('{"a":1}', { 'content-type': type })).rejects.toEqual(
        rejection('unsupported_media_type'),
      );
    await expect(read(['{}'], { 'content-length': '2' })).rejects.toEqual(
      rejection('unsupported_media_type'),
    );
  });

  it('IN-02: rejects every Content-Encoding except identity', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x'])
      await expect(json('{}', { 'content-encoding': encoding })).rejects.toEqual(
        rejection('unsupported_media_type'),
      );
    for (const encoding of ['identity', 'Identity'])
      await expect(json('{}', { 'content-encoding': encoding })).resolves.toEqual({});
  });

  it('IN-01: accepts 64 KiB and rejects one byte more', async () => {
    const body = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    await expect(json(body(65_536))).resolves.toBeDefined();
    await expect(json(body(65_537))).rejects.toEqual(rejection('payload_too_large'));
  });

  it('IN-01: rejects a Content-Length over the limit before it reads the body or checks the type', async () => {
    const never = new Readable({ read: () => expect(true).toBe(false) });
    const request = Object.assign(never, {
      headers: { 'content-length': '1000000000' },
      path: '/',
    });
    const [first] = bodyReader((_request, _response, next) => next());
    expect(() => first!(request as unknown as Request, {} as Response, () => undefined)).toThrow(
      rejection('payload_too_large'),
    );
  });

  it('IN-01: rejects an endless chunked body as soon as it exceeds the limit', async () => {
    let pulled = 0;
    const endless = function* () {
      for (;;) {
        pulled += 1;
        yield Buffer.alloc(8_192, 0x20);
      }
    };
    const request = Object.assign(Readable.from(endless()), {
      headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json' },
      path: '/',
    });
    const [, , third] = bodyReader((_request, _response, next) => next());
    await expect(third!(request as unknown as Request, {} as Response, () => undefined)).rejects.toEqual(
      rejection('payload_too_large'),
    );
    expect(pulled).toBeLessThan(50);
    request.destroy();
  });

  it('leaves the body undefined for an empty request with any content type', async () => {
    await expect(read([], {})).resolves.toBeUndefined();
    await expect(read([], { 'content-length': '0', 'content-type': 'text/plain' })).resolves.toBeUndefined();
    await expect(
      read([], { 'transfer-encoding': 'chunked', 'content-type': 'application/json' }),
    ).resolves.toBeUndefined();
  });

  it('joins a body that arrives in many chunks', async () => {
    const pieces = [...Buffer.from('{"a":"🦄"}')].map((byte) => Buffer.from([byte]));
    await expect(
      read(pieces, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' }),
    ).resolves.toEqual({ a: '🦄' });
  });

  it('returns invalid_json for malformed JSON', async () => {
    await expect(json('{"a":')).rejects.toEqual(rejection('invalid_json'));
  });

  describe('on the hosted pages', () => {
    const form = (text: string, headers: Headers = {}) =>
      read(
        [text],
        {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(text.length),
          ...headers,
        },
        '/verify-email',
      );

    it('IN-02: accepts forms of up to 4 KiB', async () => {
      await expect(form('token=a%20b+c')).resolves.toEqual({ token: 'a b c' });
      await expect(form(`token=${'x'.repeat(4_090)}`)).resolves.toBeDefined();
      await expect(form(`token=${'x'.repeat(4_091)}`)).rejects.toEqual(rejection('payload_too_large'));
    });

    it('IN-02: accepts only forms, and rejects forms on other routes', async () => {
      await expect(form('{}', { 'content-type': 'application/json' })).rejects.toEqual(
        rejection('unsupported_media_type'),
      );
      await expect(json('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).rejects.toEqual(
        rejection('unsupported_media_type'),
      );
    });

    it('PW-01: accepts every character in the encoding that browsers send', async () => {
      const text = ' päss & wörd + 漢字 = 🦄% ';
      const encoded = new URLSearchParams({ password: text }).toString();
      await expect(form(encoded)).resolves.toEqual({ password: text });
      await expect(form(`password=${encodeURIComponent(text)}`)).resolves.toEqual({ password: text });
    });

    it('PW-04: rejects bytes that decoding would change', async () => {
      for (const part of ['%00', '%FF', '%ED%A0%80', '%F0%9F%A6', '%C0%80', '%', '%zz'])
        await expect(form(`password=correct${part}horse`)).rejects.toEqual(rejection('validation_failed'));
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '12' };
      const bytes = Buffer.from('password=\xff\xfe\xfd', 'latin1');
      await expect(read([bytes], headers, '/reset-password')).rejects.toEqual(rejection('validation_failed'));
    });

    it('IN-06: does not modify a prototype when a field has a reserved name', async () => {
      const body = (await form('__proto__=x&constructor=y')) as object;
      expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
      expect(({} as { x?: unknown }).x).toBeUndefined();
    });
  });
});
