import { isWebUrl } from './is-web-url';

it('CO-03: accepts http and https URLs', () => {
  const urls = ['http://shop.example', 'https://shop.example/hooks?a=1#b', 'HTTPS://Shop.Example/'];
  for (const text of [...urls, 'hTTp://127.0.0.1:3000']) expect(isWebUrl(text)).toBe(true);
});

it.each([
  ['a script', ['javascript:alert(1)', 'JavaScript://shop.example/%0aalert(1)', 'vbscript:msgbox(1)']],
  ['a script with control characters', ['java\nscript:alert(1)', '\u0001javascript:alert(1)']],
  // Browsers remove control characters and whitespace around and within a scheme, and would follow these
  // links.
  [
    'a URL with whitespace around or within its scheme',
    [' https://shop.example', '\thttps://shop.example', 'ht\ntps://shop.example'],
  ],
  [
    'a URL after a script or a word',
    ['javascript:alert(1)\nhttps://shop.example', 'see https://shop.example'],
  ],
  [
    'another scheme',
    ['data:text/html,<script>alert(1)</script>', 'file:///etc/passwd', 'mailto:a@shop.example'],
  ],
  [
    'a nested scheme',
    ['blob:https://shop.example/1', 'view-source:https://shop.example', 'httpsx://shop.example'],
  ],
  ['a relative URL', ['//shop.example', '/console/operators', 'shop.example', '']],
  ['a URL without slashes', ['https:shop.example', 'https:/shop.example']],
  ['a URL without a host', ['https://', 'https:// shop.example', 'https://<img src=x>']],
])('CO-03: rejects %s', (_, texts) => expect(texts.filter(isWebUrl)).toEqual([]));
