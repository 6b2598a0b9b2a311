import { GatehouseError } from '@gatehouse/domain';
import { problemDocument } from './problem.js';

const context = { requestId: 'r1', publicUrl: 'https://auth.example.com', path: '/api/v1/me' };

describe('problemDocument', () => {
  it('LG-04: has the members of RFC 9457, the code and the request id', () => {
    expect(problemDocument(new GatehouseError('not_found'), context)).toEqual({
      type: 'https://auth.example.com/docs/errors#not_found',
      title: 'Not found',
      status: 404,
      detail: expect.any(String),
      code: 'not_found',
      requestId: 'r1',
    });
  });

  it('LG-04: includes success: false only on routes of the /v1 family', () => {
    const paths = ['/v1/webhooks/deliveries', '/api/v1/me', '/v1', '/livez'];
    const documents = paths.map((path) =>
      problemDocument(new GatehouseError('not_found'), { ...context, path }),
    );
    expect(documents.map((document) => 'success' in document)).toEqual([true, false, false, false]);
  });

  it('LG-04: includes field errors and documented members', () => {
    const error = new GatehouseError('insufficient_scope', {
      detail: 'The key lacks a scope.',
      errors: [{ field: 'a', code: 'required', message: 'a is required' }],
      members: { requiredScopes: ['customer:read'] },
    });
    expect(problemDocument(error, context)).toMatchObject({
      detail: 'The key lacks a scope.',
      errors: [{ field: 'a', code: 'required', message: 'a is required' }],
      requiredScopes: ['customer:read'],
    });
  });

  it.each([
    [1, 'a0 is required.'],
    [3, 'a0 is required (errors[] lists 2 more).'],
  ])('includes the first of %i invalid fields in the detail', (count, detail) => {
    const errors = Array.from({ length: count }, (_, n) => ({
      field: `a${n}`,
      code: 'required',
      message: `a${n} is required`,
    }));
    expect(problemDocument(new GatehouseError('validation_failed', { errors }), context)).toMatchObject({
      detail,
    });
  });

  it('uses the cause and the remedy of the code for an error without a detail', () => {
    expect(problemDocument(new GatehouseError('refresh_token_expired'), context)).toMatchObject({
      detail: 'The session was inactive for too long or reached its maximum age. Sign in again.',
    });
  });

  it('LG-04: does not expose the cause or the stack', () => {
    const cause = new Error('SELECT * FROM customers at 10.0.0.5');
    const text = JSON.stringify(problemDocument(new GatehouseError('internal_error', { cause }), context));
    expect(text).not.toMatch(/SELECT|10\.0\.0\.5|\bat\b.*\.ts|stack/);
  });
});
