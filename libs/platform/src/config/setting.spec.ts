import { splitWords } from '../../../../test/support/split-words.js';
import { parseDuration } from './duration.js';
import * as setting from './setting.js';

const options = { doc: 'a setting', fallback: null };
const parsers = {
  integer: setting.integer({ ...options, fallback: 7 }, 1, 100).parse,
  origin: setting.origin({ ...options, fallback: 'https://api.example.com' }).parse,
  pattern: setting.pattern(options, /^[a-z]+$/, 'must be letters').parse,
  onOff: setting.onOff({ ...options, fallback: true }).parse,
  choice: setting.choice({ ...options, fallback: 'a' }, ['a', 'b']).parse,
  url: setting.url(options, ['redis:', 'rediss:']).parse,
  list: setting.list({ ...options, fallback: [] }, (entry) => (entry === 'bad' ? 'must be good' : null))
    .parse,
  parseDuration,
  duration: setting.duration({ ...options, fallback: '10s' }, 10, 60_000).parse,
  durations: setting.durations({ ...options, fallback: '0s,1s' }, 2).parse,
};

it.each<[keyof typeof parsers, Record<string, unknown>]>([
  ['integer', { 1: 1, 100: 100, '042': 42 }],
  [
    'origin',
    {
      'https://api.example.com': 'https://api.example.com',
      'https://api.example.com/': 'https://api.example.com',
      'http://127.0.0.1:12111': 'http://127.0.0.1:12111',
    },
  ],
  ['pattern', { abc: 'abc' }],
  ['onOff', { on: true, off: false }],
  ['choice', { b: 'b' }],
  ['url', { 'redis://:pass@host:6379/0': 'redis://:pass@host:6379/0' }],
  ['list', { ' a, b ,,c,': ['a', 'b', 'c'] }],
  ['parseDuration', { '0s': 0, '250ms': 250, '15s': 15_000, '1.5s': 1_500, ' 1s ': 1_000 }],
  ['parseDuration', { '5m': 300_000, '12h': 43_200_000, '30d': 2_592_000_000 }],
  ['duration', { '10ms': 10, '60s': 60_000, '1m': 60_000 }],
  ['durations', { '1m, 2m': [60_000, 120_000] }],
])('parses %s: %j', (kind, texts) => {
  for (const [text, value] of Object.entries(texts)) expect(parsers[kind](text)).toEqual(value);
});

it.each<[keyof typeof parsers, string, string[]]>([
  [
    'integer',
    'must be a whole number from 1 to 100',
    splitWords(`0 101 -1 +1 1.5 1e2 0x10 1_0 one ٣ Infinity NaN ${'9'.repeat(400)}`),
  ],
  [
    'origin',
    'must be an http or https URL that consists of',
    splitWords(`api.example.com ftp://api.example.com https://api.example.com/v1 https://api.example.com?x
      https://u@api.example.com https://`),
  ],
  ['pattern', 'must be letters', ['ab1']],
  ['onOff', 'must be on or off', ['ON', 'true', 'false', '1', '0', 'yes']],
  ['choice', 'must be one of a, b', ['A', 'c', 'a,b', 'toString']],
  [
    'url',
    'must be a URL that starts with redis:// or rediss://',
    ['', ...splitWords('host:6379 localhost http://host redis //host rediss//host')],
  ],
  ['list', 'must be good', ['a,bad,c']],
  [
    'parseDuration',
    'must be a duration such as',
    ['', '1 s', ...splitWords('15 s -1s 1S 1w 1e3s .5s 1s2 Infinitys 1,5s')],
  ],
  ['duration', 'is outside the allowed range', ['9ms', '61s', '0s']],
  ['durations', 'must be exactly 2 durations', ['1s', '1s,2s,3s']],
  ['durations', 'must be a duration such as', ['1s,']],
])('rejects an invalid value for %s with: %s', (kind, problem, texts) => {
  for (const text of texts) expect(() => parsers[kind](text)).toThrow(problem);
});

it('parses a fallback like a value, and displays it as it would be set', () => {
  expect(setting.duration({ ...options, fallback: '10s' }, 10, 60_000).fallback).toBe(10_000);
  expect(setting.durations({ ...options, fallback: '0s,1s' }, 2).fallback).toEqual([0, 1_000]);
  const shown = [true, false].map((fallback) => setting.onOff({ ...options, fallback }).displayedDefault);
  expect(shown).toEqual(['on', 'off']);
});
