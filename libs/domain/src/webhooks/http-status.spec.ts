import { MAX_HTTP_STATUS, statusClasses, statusRanges } from './http-status.js';

it('assigns each recorded status to one class', () => {
  for (let status = 0; status <= MAX_HTTP_STATUS; status += 1) {
    const matching = statusClasses.filter((name) =>
      statusRanges[name].some(([first, last]) => status >= first && status <= last),
    );
    const isDefined = status >= 200 && status <= 599;
    expect(matching).toEqual([isDefined ? `${Math.floor(status / 100)}xx` : status === 0 ? 'none' : 'other']);
  }
});
