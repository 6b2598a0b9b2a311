import { customerIdInResponse } from './response-customer.js';

describe('the id of the customer in a response', () => {
  it.each([
    ['a customer', { id: 'c1', email: 'ada@example.com' }],
    ['a login', { tokens: null, customer: { id: 'c1', email: 'ada@example.com' } }],
    ['a delivery', { success: true, data: { request: { body: '{"data":{"customer":{"id":"c1"}}}' } } }],
  ])('is found in %s', (_, answer) => {
    expect(customerIdInResponse(answer)).toBe('c1');
  });

  it.each([
    ['nothing', undefined],
    ['a project', { id: 'p1', name: 'Shop' }],
    ['an endpoint', { success: true, data: { id: 'ep_1' } }],
    ['a delivery about a project', { data: { request: { body: '{"data":{"project":{"id":"p1"}}}' } } }],
    ['a list', { data: [], nextCursor: null }],
  ])('is null for %s', (_, answer) => {
    expect(customerIdInResponse(answer)).toBeNull();
  });
});
