import { contrastRatio, relativeLuminance, textColorOn } from './contrast.js';

describe('relativeLuminance', () => {
  it.each([
    ['#000000', 0],
    ['#ffffff', 1],
    ['#ff0000', 0.2126],
    ['#00FF00', 0.7152],
    ['#808080', 0.2159],
  ])('of %s is %d', (color, luminance) => {
    expect(relativeLuminance(color)).toBeCloseTo(luminance, 4);
  });
});

describe('contrastRatio', () => {
  it('is the one of WCAG, whichever colour comes first', () => {
    expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastRatio('#ffffff', '#777777')).toBeCloseTo(4.48, 2);
    expect(contrastRatio('#1d4ed8', '#1d4ed8')).toBe(1);
  });
});

describe('textColorOn', () => {
  it.each([
    ['#1d4ed8', '#ffffff'],
    ['#111111', '#ffffff'],
    ['#ffd400', '#000000'],
    ['#ffffff', '#000000'],
  ])('on %s is %s', (color, text) => {
    expect(textColorOn(color)).toBe(text);
  });

  it('reads at 4.5:1 or better on every colour', () => {
    const steps = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, '0'));
    const colors = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
    );
    const worst = Math.min(...colors.map((color) => contrastRatio(color, textColorOn(color))));
    expect(colors).toHaveLength(18 ** 3);
    expect(worst).toBeGreaterThanOrEqual(4.5);
  });
});
