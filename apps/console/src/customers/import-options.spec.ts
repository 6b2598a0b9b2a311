import { readOptions, toFlags, toSearch } from './import-options';

const none = { emitEvents: false, update: false, allowFastHashes: false };

it.each([none, { ...none, update: true }, { emitEvents: true, update: true, allowFastHashes: true }])(
  'reads back the options that toSearch and toFlags return: %j',
  (options) => {
    for (const query of [toSearch('1', options), toFlags(options)])
      expect(readOptions(new URLSearchParams(query))).toEqual(options);
  },
);

it('returns only the id if no options are set', () => expect(toSearch('1', none)).toEqual({ id: '1' }));
