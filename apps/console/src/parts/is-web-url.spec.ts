import { isWebUrl } from './is-web-url';

describe('CO-03: of what a stranger wrote', () => {
  it.each([
    'http://shop.example',
    'https://shop.example/hooks?a=1#b',
    'HTTPS://Shop.Example/',
    'hTTp://127.0.0.1:3000',
  ])('%s is a link', (text) => expect(isWebUrl(text)).toBe(true));

  it.each([
    'javascript:alert(1)',
    'JavaScript://shop.example/%0aalert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    // Browsers drop what stands around and within a scheme, so that these would be followed to somewhere.
    ' https://shop.example',
    '\thttps://shop.example',
    'javascript:alert(1)\nhttps://shop.example',
    'ht\ntps://shop.example',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://shop.example/1',
    'view-source:https://shop.example',
    'mailto:a@shop.example',
    '//shop.example',
    '/console/operators',
    'https:shop.example',
    'https:/shop.example',
    'https://',
    'https:// shop.example',
    'https://<img src=x>',
    'httpsx://shop.example',
    'see https://shop.example',
    'shop.example',
    '',
  ])('%j is none', (text) => expect(isWebUrl(text)).toBe(false));
});
