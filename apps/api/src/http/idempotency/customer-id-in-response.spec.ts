import { customerIdInResponse } from './customer-id-in-response.js';

describe('customerIdInResponse', () => {
  it.each([
    ['a customer', { id: 'c1', email: 'ada@example.com' }],
    ['a sign-in', { tokens: null, customer: { id: 'c1', email: 'ada@example.com' } }],
    ['a delivery', { success: true, data: { request: { body: '{"data":{"customer":{"id":"c1"}}}' } } }],
  ])("returns the customer's id in %s", (_, body) => {
    expect(customerIdInResponse(body)).toBe('c1');
  });

  it.each([
    ['no body', undefined],
    ['a project', { id: 'p1', name: 'Shop' }],
    ['an endpoint', { success: true, data: { id: 'ep_1' } }],
    ['a delivery about a project', { data: { request: { body: '{"data":{"project":{"id":"p1"}}}' } } }],
    ['a list', { data: [], nextCursor: null }],
    ['a custom event', { success: true, data: { type: 'app.paid', data: { customer: { id: 'c1' } } } }],
    [
      'a delivery of a custom event',
      { data: { request: { body: '{"type":"app.paid","data":{"customer":{"id":"c1"}}}' } } },
    ],
  ])('returns null for %s', (_, body) => {
    expect(customerIdInResponse(body)).toBeNull();
  });
});
