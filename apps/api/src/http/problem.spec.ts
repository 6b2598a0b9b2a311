import type { ServerResponse } from 'node:http';
import { GatehouseError } from '#domain';
import { problemDocument, sendProblem } from './problem.js';

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

  it.each([
    ['/v1/webhooks/deliveries', true],
    ['/api/v1/me', false],
    ['/v1', false],
    ['/livez', false],
  ])('LG-04: on %s success:false stands in it: %p', (path, stands) => {
    const document = problemDocument(new GatehouseError('not_found'), { ...context, path });
    expect('success' in document).toBe(stands);
  });

  it('LG-04: carries field errors and documented members', () => {
    const error = new GatehouseError('insufficient_scope', {
      detail: 'Once more.',
      errors: [{ field: 'a', code: 'required', message: 'a is required' }],
      members: { requiredScopes: ['customer:read'] },
    });
    expect(problemDocument(error, context)).toMatchObject({
      detail: 'Once more.',
      errors: [{ field: 'a', code: 'required', message: 'a is required' }],
      requiredScopes: ['customer:read'],
    });
  });

  it('LG-04: the cause and the stack stay inside', () => {
    const cause = new Error('SELECT * FROM customers at 10.0.0.5');
    const text = JSON.stringify(problemDocument(new GatehouseError('internal_error', { cause }), context));
    expect(text).not.toMatch(/SELECT|10\.0\.0\.5|\bat\b.*\.ts|stack/);
  });
});

describe('sendProblem', () => {
  it('LG-04: answers application/problem+json with the headers of the error', () => {
    const sent: Record<string, unknown> = {};
    const response = {
      setHeader: (name: string, value: string) => (sent[name] = value),
      end: (body: string) => (sent['body'] = body),
    } as unknown as ServerResponse;
    sendProblem(response, new GatehouseError('overloaded', { headers: { 'Retry-After': '2' } }), { a: 1 });
    expect(response.statusCode).toBe(503);
    expect(sent).toEqual({
      'Retry-After': '2',
      'Content-Type': 'application/problem+json; charset=utf-8',
      body: '{"a":1}',
    });
  });
});
