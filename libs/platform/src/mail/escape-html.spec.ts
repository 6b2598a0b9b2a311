import { escapeHtml } from './escape-html.js';

describe('escapeHtml', () => {
  it('escapes what means something in HTML and leaves everything else alone', () => {
    expect(escapeHtml(`&<>"'`)).toBe('&#38;&#60;&#62;&#34;&#39;');
    expect(escapeHtml('Ünï©ode 🦄 /=`')).toBe('Ünï©ode 🦄 /=`');
  });
});
