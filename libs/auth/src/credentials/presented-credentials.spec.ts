import type { IncomingMessage } from 'node:http';
import { presentedCredentials } from './presented-credentials.js';

const credentialsIn = (headersDistinct: Record<string, string[]>) =>
  presentedCredentials({ headersDistinct } as unknown as IncomingMessage);

describe('presentedCredentials', () => {
  it('AK-03: parses the three credential headers and no others', () => {
    expect(credentialsIn({ cookie: ['sk_a'], 'x-apikey': ['sk_a'] })).toEqual([]);
    expect(
      credentialsIn({
        authorization: ['Bearer sk_a'],
        'x-api-key': ['sk_a', 'sk_a'],
        'x-publishable-key': ['pk_b'],
      }),
    ).toEqual([
      { header: 'authorization', value: 'sk_a' },
      { header: 'x-api-key', value: 'sk_a' },
      { header: 'x-publishable-key', value: 'pk_b' },
    ]);
    expect(credentialsIn({ authorization: ['Bearer eyJ.x.y'], 'x-api-key': ['sk_a'] })).toHaveLength(2);
  });

  it('AK-09: treats any scheme other than Bearer, or none, as an invalid credential', () => {
    const others = [
      'Basic c2tfYTo=',
      'Token sk_a',
      'Bearersk_a',
      'Bearer',
      'Bearer\tsk_a',
      'Basic Bearer sk_a',
    ];
    for (const value of [...others, 'sk_a', 'eyJ.x.y'])
      expect(credentialsIn({ authorization: [value] })).toEqual([{ header: 'authorization', value: '' }]);
    for (const value of ['bearer sk_a', 'BEARER sk_a', 'Bearer    sk_a'])
      expect(credentialsIn({ authorization: [value] })).toEqual([{ header: 'authorization', value: 'sk_a' }]);
  });

  it.each<[string, Record<string, string[]>]>([
    ['two bearer tokens', { authorization: ['Bearer sk_a', 'Bearer sk_b'] }],
    ['two different keys in one header', { 'x-api-key': ['sk_a', 'sk_b'] }],
    ['two publishable keys', { 'x-publishable-key': ['pk_a', 'pk_b'] }],
    ['two secret keys in two headers', { authorization: ['Bearer sk_a'], 'x-api-key': ['sk_b'] }],
    [
      'two publishable keys in two headers',
      { authorization: ['Bearer pk_a'], 'x-publishable-key': ['pk_b'] },
    ],
    ['a secret key in the publishable header', { 'x-api-key': ['sk_a'], 'x-publishable-key': ['sk_b'] }],
  ])('AK-03: rejects %s', (_, headers) => {
    expect(() => credentialsIn(headers)).toThrow(
      expect.objectContaining({ code: 'multiple_credentials', status: 400 }),
    );
  });
});
