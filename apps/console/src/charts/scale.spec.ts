import {
  areaPath,
  axisTicks,
  barPath,
  bucketAt,
  condense,
  formatCompact,
  linePath,
  lineParts,
} from './scale';

describe('chart scale', () => {
  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [5, [0, 2, 4, 6]],
    [38, [0, 10, 20, 30, 40]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 20, 40, 60]],
    [1_153, [0, 500, 1_000, 1_500]],
  ])('returns at most four steps that cover the value %d', (value, ticks) =>
    expect(axisTicks(value)).toEqual(ticks),
  );

  it('formats labels in compact notation', () => {
    expect([950, 1_240, 3_400_000].map(formatCompact)).toEqual(['950', '1.2K', '3.4M']);
  });

  it('finds the bucket under the pointer, and none outside the plot', () => {
    expect([-1, 0, 9.9, 10, 29, 30].map((distance) => bucketAt(distance, 10, 3))).toEqual([
      ...[null, 0, 0, 1],
      ...[2, null],
    ]);
  });

  it('interrupts a line and its area where no value was measured', () => {
    const parts = lineParts(
      [null, 1, 2, null, 3],
      (index) => index * 10,
      (value) => 100 - value,
    );
    expect(parts.map(linePath)).toEqual(['M10.0 99.0L20.0 98.0', 'M40.0 97.0']);
    expect(areaPath(parts[0]!, 100)).toBe('M10.0 99.0L20.0 98.0V100.0H10.0Z');
  });

  it("rounds a bar's upper corners by at most its height", () => {
    expect(barPath({ x: 5, y: 10 }, 8, 20, 2)).toBe('M5 30v-18q0 -2 2 -2h4q2 0 2 2v18z');
    expect(barPath({ x: 5, y: 10 }, 8, 1, 2)).toBe('M5 11v0q0 -1 1 -1h6q1 0 1 1v0z');
  });

  it('condenses values to the mean of the known values', () => {
    expect(condense([1, 3, null, 5, null, null, 8], 4)).toEqual([2, 5, null, 8]);
    expect(condense([1, null], 4)).toEqual([1, null]);
  });
});
