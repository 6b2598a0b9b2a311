import type { IncomingMessage } from 'node:http';
import { presentedCredentials } from './presented-credentials.js';

const of = (headersDistinct: Record<string, string[]>) =>
  presentedCredentials({ headersDistinct } as unknown as IncomingMessage);

const multiple = expect.objectContaining({ code: 'multiple_credentials', status: 400 });

describe('presentedCredentials', () => {
  it('of a request without any is empty', () => {
    expect(of({})).toEqual([]);
    expect(of({ cookie: ['sk_a'], 'x-apikey': ['sk_a'] })).toEqual([]);
  });

  it('AK-03: reads each of the three headers', () => {
    expect(
      of({ authorization: ['Bearer sk_a'], 'x-api-key': ['sk_a'], 'x-publishable-key': ['pk_b'] }),
    ).toEqual([
      { header: 'authorization', value: 'sk_a' },
      { header: 'x-api-key', value: 'sk_a' },
      { header: 'x-publishable-key', value: 'pk_b' },
    ]);
  });

  it.each(['Bearer sk_a', 'bearer sk_a', 'BEARER sk_a', 'Bearer    sk_a'])('reads %j', (value) => {
    expect(of({ authorization: [value] })).toEqual([{ header: 'authorization', value: 'sk_a' }]);
  });

  it.each([
    'Basic c2tfYTo=',
    'Token sk_a',
    'Bearersk_a',
    'Bearer',
    'Bearer\tsk_a',
    'Basic Bearer sk_a',
    'sk_a',
    'eyJ.x.y',
  ])('AK-09: another scheme, or none, opens nothing: %j', (value) => {
    expect(of({ authorization: [value] })).toEqual([{ header: 'authorization', value: '' }]);
  });

  it.each([
    ['two bearer tokens', { authorization: ['Bearer sk_a', 'Bearer sk_b'] }],
    ['two different keys in one header', { 'x-api-key': ['sk_a', 'sk_b'] }],
    ['two publishable keys', { 'x-publishable-key': ['pk_a', 'pk_b'] }],
    ['two secret keys in two headers', { authorization: ['Bearer sk_a'], 'x-api-key': ['sk_b'] }],
    [
      'two publishable keys in two headers',
      { authorization: ['Bearer pk_a'], 'x-publishable-key': ['pk_b'] },
    ],
    [
      'a secret key hidden in the publishable header',
      { 'x-api-key': ['sk_a'], 'x-publishable-key': ['sk_b'] },
    ],
  ])('AK-03: refuses %s', (_, headers) => {
    expect(() => of(headers as unknown as Record<string, string[]>)).toThrow(multiple);
  });

  it('the same key twice is one key', () => {
    expect(of({ 'x-api-key': ['sk_a', 'sk_a'] })).toEqual([{ header: 'x-api-key', value: 'sk_a' }]);
  });

  it('a secret and a publishable key may stand side by side, and so may an access token', () => {
    expect(of({ authorization: ['Bearer sk_a'], 'x-publishable-key': ['pk_b'] })).toHaveLength(2);
    expect(of({ authorization: ['Bearer eyJ.x.y'], 'x-api-key': ['sk_a'] })).toHaveLength(2);
  });
});
