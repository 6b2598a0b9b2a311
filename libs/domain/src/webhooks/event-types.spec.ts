import {
  eventTypes,
  isEventType,
  isSubscription,
  matchingSubscriptions,
  type EventType,
} from './event-types.js';

const types = Object.keys(eventTypes) as EventType[];

describe('event types', () => {
  it.each(types)('%s is written noun.verb and says its cause', (type) => {
    expect(type).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
    expect(eventTypes[type].cause).not.toBe('');
    expect(isEventType(type)).toBe(true);
  });

  it.each([
    '',
    'customer',
    'customer.',
    'customer.created ',
    'Customer.created',
    'constructor',
    '__proto__',
    'toString',
    '*',
  ])('%j is no event type', (text) => {
    expect(isEventType(text)).toBe(false);
  });

  it.each(['*', 'customer.*', 'session.*', 'login.*', 'token.*', ...types])(
    '%s can be subscribed to',
    (text) => {
      expect(isSubscription(text)).toBe(true);
    },
  );

  it.each([
    '',
    '.*',
    '**',
    '*.*',
    '*.created',
    'customer.**',
    'customer.*.*',
    'customer',
    'unknown.*',
    'cust*',
    'CUSTOMER.*',
    'customer.created.*',
    '__proto__.*',
    'constructor',
  ])('%j cannot be subscribed to', (text) => {
    expect(isSubscription(text)).toBe(false);
  });

  it('an event answers to its name, its noun and *', () => {
    expect(matchingSubscriptions('customer.created')).toEqual(['customer.created', 'customer.*', '*']);
  });

  it('login.failed must be named: * leaves it out', () => {
    expect(matchingSubscriptions('login.failed')).toEqual(['login.failed', 'login.*']);
  });

  it.each(types)('whatever %s answers to can be subscribed to', (type) => {
    expect(matchingSubscriptions(type).every(isSubscription)).toBe(true);
  });
});
