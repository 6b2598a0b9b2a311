import { splitWords } from '../../../../test/support/split-words.js';
import {
  CUSTOM_EVENT_PREFIX,
  isCustomEventType,
  MAX_CUSTOM_EVENT_TYPE_LENGTH,
} from './custom-event-types.js';
import {
  eventTypes,
  isEventType,
  isEventTypeFilter,
  isSubscription,
  matchingEventTypes,
  matchingSubscriptions,
  subscribedEventTypes,
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

  it('allow subscriptions by name, by noun and with *', () => {
    const subscriptions = ['*', 'customer.*', 'session.*', 'login.*', 'token.*', ...types];
    expect(subscriptions.filter((text) => !isSubscription(text))).toEqual([]);
    const others =
      splitWords(`.* ** *.* *.created customer.** customer.*.* customer unknown.* cust* CUSTOMER.*
      customer.created.* __proto__.* constructor`);
    expect(['', ...others].filter(isSubscription)).toEqual([]);
  });

  it('match subscriptions to their name, to their noun and, except for login.failed, to *', () => {
    expect(matchingSubscriptions('customer.created')).toEqual(['customer.created', 'customer.*', '*']);
    expect(matchingSubscriptions('login.failed')).toEqual(['login.failed', 'login.*']);
    expect(types.flatMap(matchingSubscriptions).filter((text) => !isSubscription(text))).toEqual([]);
  });

  it('reserve the noun app for custom types', () => {
    expect(types.filter((type) => type.startsWith(CUSTOM_EVENT_PREFIX))).toEqual([]);
  });
});

describe('custom event types', () => {
  const longest = `app.${'x'.repeat(MAX_CUSTOM_EVENT_TYPE_LENGTH - 4)}`;
  const custom = splitWords('app.paid app.order.paid app.order.v2.line_item.added app.1 app._ app.a.b.c.d.e');

  it('begin with app and have any number of segments, up to 128 characters', () => {
    expect([...custom, longest].filter((text) => !isCustomEventType(text))).toEqual([]);
    const others = splitWords(`app app. .app app..paid app.paid. app.* app.order.* App.paid app.Paid APP.PAID
      app.order-paid app.order/paid app.é order.paid customer.created xapp.paid app_.paid *`);
    const texts = ['', 'app.order paid', 'app.paid\n', ' app.paid', `${longest}x`, ...others];
    expect(texts.filter(isCustomEventType)).toEqual([]);
  });

  it('allow subscriptions by full type, with app.* and with *, but not by a partial type', () => {
    expect([...custom, longest, 'app.*'].filter((text) => !isSubscription(text))).toEqual([]);
    expect(splitWords('app.order.* app app.** app.*.paid').filter(isSubscription)).toEqual([]);
    expect(matchingSubscriptions('app.order.paid')).toEqual(['app.order.paid', 'app.*', '*']);
  });

  it('match filters like built-in types', () => {
    expect([...custom, 'app.*', 'login.failed'].filter((text) => !isEventTypeFilter(text))).toEqual([]);
    expect(splitWords('* customer.* app.order.* order.paid').filter(isEventTypeFilter)).toEqual([]);
    expect(matchingEventTypes(['app.paid', 'login.*', 'app.order.paid'])).toEqual([
      'login.succeeded',
      'login.failed',
      'app.paid',
      'app.order.paid',
    ]);
    expect(matchingEventTypes(['app.paid', 'app.*'])).toEqual(['app.*']);
    expect(matchingEventTypes(['*'])).toEqual([...types, 'app.*']);
  });

  it('appear among the types that a subscription selects', () => {
    expect(subscribedEventTypes(['app.paid', 'login.failed'])).toEqual(['login.failed', 'app.paid']);
    expect(subscribedEventTypes(['app.*'])).toEqual(['app.*']);
    expect(subscribedEventTypes(['*'])).toContain('app.*');
    expect(subscribedEventTypes(['customer.*']).filter((type) => type.startsWith('app.'))).toEqual([]);
  });
});
