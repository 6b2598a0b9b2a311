import { formatCompact, axisMaximum } from './scale';

describe('chart scale', () => {
  it.each([
    [0, 1],
    [3, 5],
    [5, 5],
    [51, 100],
    [1_001, 2_000],
  ])('ends the axis for the value %d at %d', (value, end) => expect(axisMaximum(value)).toBe(end));

  it('formats labels in compact notation', () => {
    expect([950, 1_240, 3_400_000].map(formatCompact)).toEqual(['950', '1.2K', '3.4M']);
  });
});
