import { contrastRatio, relativeLuminance, textColorOn } from './contrast.js';

it.each([
  ['#000000', 0],
  ['#ffffff', 1],
  ['#ff0000', 0.2126],
  ['#00FF00', 0.7152],
  ['#808080', 0.2159],
])('computes the relative luminance of %s as %d', (color, luminance) => {
  expect(relativeLuminance(color)).toBeCloseTo(luminance, 4);
});

it('returns the WCAG contrast ratio for both color orders', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrastRatio('#ffffff', '#777777')).toBeCloseTo(4.48, 2);
});

it('returns a text color with at least 4.5:1 contrast on every color', () => {
  expect(['#1d4ed8', '#ffd400'].map(textColorOn)).toEqual(['#ffffff', '#000000']);
  const steps = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, '0'));
  const colors = steps.flatMap((red) =>
    steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
  );
  const worst = Math.min(...colors.map((color) => contrastRatio(color, textColorOn(color))));
  expect(worst).toBeGreaterThanOrEqual(4.5);
});
