import { splitWords } from '../../../../test/support/split-words.js';
import {
  eventTypes,
  isEventType,
  isSubscription,
  matchingSubscriptions,
  type EventType,
} from './event-types.js';

const types = Object.keys(eventTypes) as EventType[];

describe('event types', () => {
  it('have the form noun.verb and a cause', () => {
    for (const type of types) {
      expect(type).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
      expect(eventTypes[type].cause).not.toBe('');
      expect(isEventType(type)).toBe(true);
    }
    const others = splitWords('customer customer. Customer.created constructor __proto__ toString *');
    expect(['', 'customer.created ', ...others].filter(isEventType)).toEqual([]);
  });

  it('can be subscribed to by name, by noun and with *', () => {
    const subscriptions = ['*', 'customer.*', 'session.*', 'login.*', 'token.*', ...types];
    expect(subscriptions.filter((text) => !isSubscription(text))).toEqual([]);
    const others =
      splitWords(`.* ** *.* *.created customer.** customer.*.* customer unknown.* cust* CUSTOMER.*
      customer.created.* __proto__.* constructor`);
    expect(['', ...others].filter(isSubscription)).toEqual([]);
  });

  it('match their name, their noun and *, which excludes login.failed', () => {
    expect(matchingSubscriptions('customer.created')).toEqual(['customer.created', 'customer.*', '*']);
    expect(matchingSubscriptions('login.failed')).toEqual(['login.failed', 'login.*']);
    expect(types.flatMap(matchingSubscriptions).filter((text) => !isSubscription(text))).toEqual([]);
  });
});
