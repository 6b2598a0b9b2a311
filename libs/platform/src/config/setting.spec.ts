import * as setting from './setting.js';

const options = { doc: 'a setting', fallback: 7 };

describe('kinds of settings', () => {
  describe('integer', () => {
    const { parse } = setting.integer(options, 1, 100);

    it.each([
      ['1', 1],
      ['100', 100],
      ['042', 42],
    ])('reads %j as %d', (text, value) => {
      expect(parse(text)).toBe(value);
    });

    it.each([
      '0',
      '101',
      '-1',
      '+1',
      '1.5',
      '1e2',
      '0x10',
      '1_0',
      'one',
      '٣',
      'Infinity',
      'NaN',
      '9'.repeat(400),
    ])('refuses %j and says the range', (text) => {
      expect(() => parse(text)).toThrow('must be a whole number from 1 to 100');
    });
  });

  describe('origin', () => {
    const { parse } = setting.origin({ doc: 'a server', fallback: 'https://api.example.com' });

    it.each([
      ['https://api.example.com', 'https://api.example.com'],
      ['https://api.example.com/', 'https://api.example.com'],
      ['http://127.0.0.1:12111', 'http://127.0.0.1:12111'],
    ])('reads %s', (text, value) => expect(parse(text)).toBe(value));

    it.each([
      'api.example.com',
      'ftp://api.example.com',
      'https://api.example.com/v1',
      'https://api.example.com?x',
      'https://u@api.example.com',
      'https://',
    ])('refuses %s', (text) => expect(() => parse(text)).toThrow('must be an http or https URL of a host'));
  });

  describe('pattern', () => {
    const { parse } = setting.pattern({ doc: 'a code', fallback: null }, /^[a-z]+$/, 'must be letters');

    it('takes a text of its form and says so of any other', () => {
      expect(parse('abc')).toBe('abc');
      expect(() => parse('ab1')).toThrow('must be letters');
    });
  });

  describe('onOff', () => {
    const { parse } = setting.onOff({ doc: 'a switch', fallback: true });

    it('reads on and off', () => {
      expect(parse('on')).toBe(true);
      expect(parse('off')).toBe(false);
    });

    it.each(['ON', 'true', 'false', '1', '0', 'yes'])('refuses %j', (text) => {
      expect(() => parse(text)).toThrow('must be on or off');
    });

    it('shows its fallback as a word', () => {
      expect(setting.onOff({ doc: '', fallback: true }).shown).toBe('on');
      expect(setting.onOff({ doc: '', fallback: false }).shown).toBe('off');
    });
  });

  describe('choice', () => {
    const { parse } = setting.choice({ doc: '', fallback: 'a' }, ['a', 'b']);

    it('reads what it offers and nothing else', () => {
      expect(parse('b')).toBe('b');
      for (const text of ['A', 'c', 'a,b', 'toString'])
        expect(() => parse(text)).toThrow('must be one of a, b');
    });
  });

  describe('url', () => {
    const { parse } = setting.url({ doc: '', fallback: null }, ['redis:', 'rediss:']);

    it('reads a URL of its protocols as it stands', () => {
      expect(parse('redis://:pass@host:6379/0')).toBe('redis://:pass@host:6379/0');
    });

    it.each(['', 'host:6379', 'localhost', 'http://host', 'redis', '//host', 'rediss//host'])(
      'refuses %j',
      (text) => {
        expect(() => parse(text)).toThrow('must be a URL that starts with redis:// or rediss://');
      },
    );
  });

  describe('list', () => {
    const { parse } = setting.list({ doc: '', fallback: [] }, (entry) =>
      entry === 'bad' ? 'must be good' : null,
    );

    it('reads entries between commas, without blanks and empty ones', () => {
      expect(parse(' a, b ,,c,')).toEqual(['a', 'b', 'c']);
    });

    it('refuses the whole for one bad entry', () => {
      expect(() => parse('a,bad,c')).toThrow('must be good');
    });
  });

  describe('duration', () => {
    it.each([
      ['0s', 0],
      ['250ms', 250],
      ['15s', 15_000],
      ['1.5s', 1_500],
      ['5m', 300_000],
      ['12h', 43_200_000],
      ['30d', 2_592_000_000],
      [' 1s ', 1_000],
    ])('reads %j as %d ms', (text, ms) => {
      expect(setting.parseDuration(text)).toBe(ms);
    });

    it.each(['', '15', 's', '-1s', '1 s', '1S', '1w', '1e3s', '.5s', '1s2', 'Infinitys', '1,5s'])(
      'refuses %j',
      (text) => {
        expect(() => setting.parseDuration(text)).toThrow('must be a duration such as');
      },
    );

    it('keeps its bounds', () => {
      const { parse, fallback } = setting.duration({ doc: '', fallback: '10s' }, 10, 60_000);
      expect(fallback).toBe(10_000);
      expect([parse('10ms'), parse('60s'), parse('1m')]).toEqual([10, 60_000, 60_000]);
      for (const text of ['9ms', '61s', '0s']) expect(() => parse(text)).toThrow('is out of range');
    });

    it('durations are exactly as many as there must be', () => {
      const { parse, fallback } = setting.durations({ doc: '', fallback: '0s,1s' }, 2);
      expect(fallback).toEqual([0, 1_000]);
      expect(parse('1m, 2m')).toEqual([60_000, 120_000]);
      for (const text of ['1s', '1s,2s,3s']) expect(() => parse(text)).toThrow('must be exactly 2 durations');
      expect(() => parse('1s,')).toThrow('must be a duration such as');
    });
  });
});
