import { isCustomEventType } from './custom-event-type';

describe('isCustomEventType', () => {
  it('accepts exactly the types that the API accepts', () => {
    expect(['app.paid', 'app.order_2.paid'].filter((text) => !isCustomEventType(text))).toEqual([]);
    const invalid = ['', 'app', 'app.', 'app.*', 'app.Paid', 'order.paid', `app.${'x'.repeat(125)}`];
    expect(invalid.filter(isCustomEventType)).toEqual([]);
  });
});
