import { lineLimits, parseStrictJson, parseStrictJsonOrList } from './strict-json.js';

const parse = (text: string | Buffer) => parseStrictJson(Buffer.from(text as string));
const invalid = expect.objectContaining({ code: 'invalid_json', status: 400 });
const nested = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels);

describe('parseStrictJson', () => {
  it.each([
    ['an empty object', '{}', {}],
    ['white space around it', ' \r\n\t{ } \n', {}],
    [
      'every kind of value',
      '{"a":"x","b":1,"c":true,"d":null,"e":[1],"f":{}}',
      { a: 'x', b: 1, c: true, d: null, e: [1], f: {} },
    ],
    ['escapes', '{"a":"\\u00e9\\ud83e\\udd84\\n\\"\\\\"}', { a: 'é🦄\n"\\' }],
    ['brackets and colons in strings', '{"a":"}}]]{{[[::","b":"\\"{"}', { a: '}}]]{{[[::', b: '"{' }],
    ['the largest double', '{"a":1.7976931348623157e308}', { a: Number.MAX_VALUE }],
    ['a number that becomes zero', '{"a":1e-400}', { a: 0 }],
    [
      'a key that only begins like a reserved one',
      '{"__proto":1,"constructors":2,"Prototype":3}',
      { __proto: 1, constructors: 2, Prototype: 3 },
    ],
    ['an empty key', '{"":1}', { '': 1 }],
  ])('accepts %s', (_, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it('IN-08: uses the last value of a repeated key', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 });
  });

  it.each<[string, string[]]>([
    ['an empty body', ['', '  \n']],
    ['incomplete JSON', ['{"a":', '{"a":"x', '{"a":"\\', '}}}}]]]]']],
    ['more than one object', ['{}{}', '{"a":1,}']],
    ['JavaScript', ['{/* x */}', "{'a':1}", '{a:1}', '{"a":NaN}', '{"a":Infinity}']],
    ['invalid numbers', ['{"a":0x10}', '{"a":01}', '{"a":+1}']],
    ['raw control characters', ['{"a":"x\ny"}', '{"a":"x\0y"}', '{"a":1}\0']],
    ['a form', ['email=a%40example.com']],
    ['a root that is not an object', ['[]', '[{}]', '"text"', '1', 'true', 'null']],
    ['a byte order mark', ['\ufeff{}']],
  ])('IN-03: rejects %s', (_, texts) => {
    for (const text of texts) expect(() => parse(text)).toThrow(invalid);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point that is too large', [0xf5, 0x80, 0x80, 0x80]],
    ['half a code point', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('IN-03: rejects invalid UTF-8: %s', (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(() => parse(body)).toThrow(invalid);
  });

  it('IN-03: rejects UTF-16', () => {
    for (const text of ['\ufeff{}', '{}']) expect(() => parse(Buffer.from(text, 'utf16le'))).toThrow(invalid);
  });

  it('IN-04: accepts 20 levels and rejects 21', () => {
    expect(() => parse(nested(20, '{"a":', '1', '}'))).not.toThrow();
    expect(() => parse(nested(21, '{"a":', '1', '}'))).toThrow(invalid);
    expect(() => parse(`{"a":${nested(19, '[', '', ']')}}`)).not.toThrow();
    expect(() => parse(`{"a":${nested(20, '[', '', ']')}}`)).toThrow(invalid);
  });

  it.each([5_000, 500_000])('IN-04: rejects %d levels immediately, without recursion', (levels) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const bytes = Buffer.from(`{"a":${nested(levels, open, '1', close)}}`);
      expect(() => parseStrictJson(bytes)).toThrow(invalid);
      expect(() => parseStrictJson(bytes.subarray(0, bytes.length / 2))).toThrow(invalid);
    }
  });

  it('IN-04: accepts 2,000 keys and rejects 2,001 and 50,000', () => {
    const keys = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
    expect(Object.keys(parse(keys(2_000)))).toHaveLength(2_000);
    expect(() => parse(keys(2_001))).toThrow(invalid);
    expect(() => parse(keys(50_000))).toThrow(invalid);
    expect(() => parse(`{"a":[${Array(2_001).fill('{"b":1}').join()}]}`)).toThrow(invalid);
  });

  it('IN-04: rejects a number outside the double range', () => {
    const long = ['9'.repeat(400), `-${'9'.repeat(400)}`, `1${'0'.repeat(400)}.5`, '9'.repeat(60_000)];
    for (const number of ['1e400', '-1e400', ...long]) {
      expect(() => parse(`{"a":${number}}`)).toThrow(invalid);
      expect(() => parse(`{"a":[[{"b":${number}}]]}`)).toThrow(invalid);
    }
    expect(parse(`{"a":0.${'3'.repeat(60_000)}}`)['a']).toBeCloseTo(1 / 3);
  });

  it('IN-04: rejects an integer that would be rounded, in every notation, and reports its field', () => {
    const rounded =
      `9007199254740993 -9007199254740993 12345678901234567890 9007199254740993.0 9007199254740992.5
      1.2345678901234567890e19 900719925474099300000e-5 9007199254740993E0 1152921504606846976 1e309`.split(
        /\s+/,
      );
    for (const number of [...rounded, `9007199254740993${'0'.repeat(60_000)}e-60000`]) {
      for (const [text, field] of [
        [`{"a":${number}}`, 'a'],
        [`{"x":"\\"1e999","a":[1,{"b c":[[0.5, ${number} ]]}]}`, 'a[1].b c[0][1]'],
      ] as const) {
        const errors = [
          { field, code: 'inexact_integer', message: expect.stringContaining(field) as string },
        ];
        expect(() => parse(text)).toThrow(
          expect.objectContaining({ code: 'invalid_json', details: expect.objectContaining({ errors }) }),
        );
      }
    }
    const exact =
      `9007199254740991 9007199254740992 -9007199254740992 9007199254740994 90071992547409920e-1 1e22 1E+23
      1.5e300 0.1 0.30000000000000001 3.14159265358979323846 9007199254740991.4 1e-400 -0 0e99999`.split(
        /\s+/,
      );
    for (const number of [...exact, `1${'0'.repeat(60_000)}e-60000`])
      expect(parse(`{"a":${number}}`)).toEqual({ a: Number(number) });
  });

  it('IN-03: rejects too many keys in one object at any depth, but accepts them across several objects', () => {
    const limits = { name: 'body', depth: 20, keys: 100, keysPerObject: 3 };
    const parseLimited = (text: string) => parseStrictJson(Buffer.from(text), limits);
    const full = '{"a":1,"b":{"a":1,"b":[{"a":":","b":2}],"c":3},"c":{}}';
    expect(() => parseLimited(`{"list":[${full},${full}]}`)).not.toThrow();
    for (const text of [full.replace('{', '{"x":1,'), full.replace('[{', '[{"x":1,"y":2,')])
      expect(() => parseLimited(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  it('IN-04: accepts an array of 500,000 elements (imports accept 16 MiB)', () => {
    expect(() => parse(`{"a":[${Array(500_000).fill('1').join()}]}`)).not.toThrow();
  });

  it.each(['\\u0000', '\\ud800', '\\udfff', '\\ud83e', 'x\\udd84y', '\\ud800\\ud800'])(
    'IN-05: rejects %s in every value and key at any depth',
    (escape) => {
      for (const text of [
        `{"a":"${escape}"}`,
        `{"${escape}":1}`,
        `{"a":["${escape}"]}`,
        `{"a":[[{"b":{"c":"x${escape}"}}]]}`,
        `{"a":[[{"b":{"x${escape}":1}}]]}`,
      ])
        expect(() => parse(text)).toThrow(invalid);
    },
  );

  it('IN-05: reports the field of the string, or of the object with the key', () => {
    for (const [text, field] of [
      ['{"firstName":"Ada\\u0000"}', 'firstName'],
      ['{"a":1,"customers":[{"b":""},{"names":{"last":"\\ud800"}}]}', 'customers[1].names.last'],
      ['{"a":[{"\\u0000":1}]}', 'a[0]'],
    ]) {
      const errors = [{ field, code: 'invalid', message: expect.stringContaining(field!) as string }];
      expect(() => parse(text!)).toThrow(
        expect.objectContaining({ code: 'invalid_json', details: expect.objectContaining({ errors }) }),
      );
    }
  });

  const reserved = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'constr\\u0075ctor'];
  it.each(reserved)('IN-06: rejects the key %s at any depth', (key) => {
    for (const depth of [0, 1, 2, 5, 15]) {
      for (const value of ['1', 'null', '{"polluted":true}'])
        expect(() => parse(nested(depth, '{"a":', `{"${key}":${value}}`, '}'))).toThrow(invalid);
      expect(() => parse(`{"a":${nested(depth, '[', `{"${key}":1}`, ']')}}`)).toThrow(invalid);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('IN-06: accepts reserved words as values', () => {
    expect(parse('{"a":"__proto__","b":["constructor"]}')).toEqual({ a: '__proto__', b: ['constructor'] });
  });

  it('LG-01: does not repeat the input in an error, except a reserved word', () => {
    for (const text of [
      '{"password":"hunter2"',
      '{"password":"hunter2\\u0000"}',
      '{"hunter2":1e400}',
      '["hunter2"]',
    ]) {
      expect(() => parse(text)).toThrow(
        expect.objectContaining({
          details: expect.objectContaining({ detail: expect.not.stringContaining('hunter2') }),
        }),
      );
    }
  });
});

describe('parseStrictJson with unique keys', () => {
  const parseUnique = (text: string) =>
    parseStrictJson(Buffer.from(text), { ...lineLimits, hasUniqueKeys: true });

  it.each([
    ['{"a":1,"a":null}', 'a'],
    ['{"a":1,"b":{"a":2,"c":[{"d":"a"}, {"d":1,"e":":","d":1}]}}', 'b.c[1].d'],
    ['{"a":[1,{"b":1}],"c":2,"a":3}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a\\"":1,"b":2 , "a\\"" : 3}', 'a"'],
  ])('IN-08: rejects %s and reports %s', (text, field) => {
    const errors = [{ field, code: 'repeated_key', message: expect.stringContaining(field) as string }];
    expect(() => parseUnique(text)).toThrow(
      expect.objectContaining({ code: 'invalid_json', details: expect.objectContaining({ errors }) }),
    );
  });

  it('IN-08: accepts equal keys in different objects, equal values, and keys that differ in case', () => {
    const text = '{"a":{"a":{"a":"a"}},"b":[{"a":1},{"a":1}],"A":"\\"a\\":1","c":"{\\"c\\":"}';
    expect(parseUnique(text)).toEqual(JSON.parse(text));
  });
});

describe('parseStrictJsonOrList', () => {
  const parseList = (text: string) =>
    parseStrictJsonOrList(Buffer.from(text), { name: 'body', depth: 20, keys: 10 });

  it('accepts an object or an array at the root', () => {
    expect(parseList(' [{"a":[1]},2] ')).toEqual([{ a: [1] }, 2]);
    expect(parseList('{"a":1}')).toEqual({ a: 1 });
    for (const text of ['"a"', '1', 'null', '', '[1', '[]]']) expect(() => parseList(text)).toThrow(invalid);
  });

  it('checks an array like an object, and reports its fields', () => {
    const texts = [
      `[${Array(11).fill('{"b":1}').join()}]`,
      '[{"__proto__":1}]',
      '["\\u0000"]',
      nested(21, '[', '', ']'),
    ];
    for (const text of texts) expect(() => parseList(text)).toThrow(invalid);
    expect(() => parseList('[0,{"a":9007199254740993}]')).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ errors: [expect.objectContaining({ field: '[1].a' })] }),
      }),
    );
  });
});
