import { resolveBrand, toSingleLine } from './brand.js';

const branding = { displayName: 'The Shop', logoUrl: 'https://cdn.example.com/logo.png', color: '#ffd400' };

describe('resolveBrand', () => {
  it("returns the project's branding, or its name and the default color", () => {
    const { displayName: name, logoUrl, color } = branding;
    expect(resolveBrand('shop', branding)).toEqual({ name, logoUrl, color, textColor: '#000000' });
    const fallback = { name: 'shop', logoUrl: null, color: '#1d4ed8', textColor: '#ffffff' };
    expect(resolveBrand('shop')).toEqual(fallback);
    expect(resolveBrand('shop', { displayName: null, logoUrl: null, color: null })).toEqual(fallback);
    expect(resolveBrand('shop', { displayName: ' \n' })).toEqual(fallback);
  });

  it('ignores invalid colors and logos without a plain https origin', () => {
    for (const color of ['red', '#fff', '#1234567', '#12345g', '#123456;}', '#123456\n'])
      expect(resolveBrand('shop', { color }).color).toBe('#1d4ed8');
    const http = ['http://cdn.example.com/logo.png', '/logo.png'];
    const scripts = ['javascript:alert(1)', 'data:image/png;base64,AA=='];
    const hosts = ['https://a;sandbox/logo.png', 'https://*/logo.png', "https://'none'/logo.png"];
    for (const logoUrl of [...http, ...scripts, ...hosts])
      expect(resolveBrand('shop', { logoUrl }).logoUrl).toBeNull();
  });
});

it('removes line breaks of any kind', () => {
  const breaks = 'Shop\r\nBcc: eve@example.com\u2028x\u2029y\0z\u0085 ';
  expect(toSingleLine(breaks)).toBe('Shop Bcc: eve@example.com x y z');
  expect(toSingleLine('Zoë’s  Shop 🦄')).toBe('Zoë’s  Shop 🦄');
});
