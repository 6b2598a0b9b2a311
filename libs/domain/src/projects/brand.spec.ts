import { brandOf, oneLine } from './brand.js';

const branding = { displayName: 'The Shop', logoUrl: 'https://cdn.example.com/logo.png', color: '#ffd400' };

describe('brandOf', () => {
  it('is what the project set', () => {
    expect(brandOf('shop', branding)).toEqual({
      name: 'The Shop',
      logoUrl: 'https://cdn.example.com/logo.png',
      color: '#ffd400',
      textColor: '#000000',
    });
  });

  it('is the name of the project and a default colour when nothing was set', () => {
    const expected = { name: 'shop', logoUrl: null, color: '#1d4ed8', textColor: '#ffffff' };
    expect(brandOf('shop')).toEqual(expected);
    expect(brandOf('shop', { displayName: null, logoUrl: null, color: null })).toEqual(expected);
    expect(brandOf('shop', { displayName: ' \n' })).toEqual(expected);
  });

  it.each(['red', '#fff', '#1234567', '#12345g', '#123456;}', '#123456\n'])(
    'a colour that is none stays out of the style: %j',
    (color) => {
      expect(brandOf('shop', { color }).color).toBe('#1d4ed8');
    },
  );

  it.each([
    'http://cdn.example.com/logo.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA==',
    '/logo.png',
    'https://a;sandbox/logo.png',
    'https://*/logo.png',
    "https://'none'/logo.png",
  ])('a logo of any other origin than a plain https one is none: %j', (logoUrl) => {
    expect(brandOf('shop', { logoUrl }).logoUrl).toBeNull();
  });
});

describe('oneLine', () => {
  it('leaves no line break of any kind', () => {
    expect(oneLine('Shop\r\nBcc: eve@example.com\u2028x\u2029y\0z\u0085 ')).toBe(
      'Shop Bcc: eve@example.com x y z',
    );
    expect(oneLine('Zoë’s  Shop 🦄')).toBe('Zoë’s  Shop 🦄');
  });
});
