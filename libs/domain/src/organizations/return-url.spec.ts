import { splitWords } from '../../../../test/support/split-words.js';
import { isReturnUrl, returnUrlProblem } from './return-url.js';

const app = 'https://app.example.com/';

describe('isReturnUrl', () => {
  it('IN-10: accepts https, and http on the local machine', () => {
    const urls = splitWords(`https://app.example.com https://app.example.com/billing?tab=plan&from=/home#top
      https://app.example.com:8443/billing HTTPS://APP.example.com/billing https://192.0.2.7/billing
      http://localhost:5173/billing http://app.localhost:5173/billing http://127.0.0.1:5173/billing
      http://[::1]:5173/billing`);
    expect(urls.filter((url) => !isReturnUrl(url))).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['incomplete URLs', ['', ...splitWords('/billing app.example.com/billing //app.example.com/billing')]],
    [
      'http on another machine',
      splitWords(`http://app.example.com/billing http://192.168.1.5/billing http://localhost.example.com/
        http://localhost@evil.example/`),
    ],
    [
      'other schemes',
      splitWords(`javascript:alert(1) JaVaScRiPt:alert(1) javascript://app.example.com/%0aalert(1) file:///etc/passwd
        data:text/html,<script>alert(1)</script> blob:https://app.example.com/x com.example.app:/billing`),
    ],
    ['a script with control characters', ['\u0001javascript:alert(1)', 'java\tscript:alert(1)']],
    [
      'missing or extra slashes',
      splitWords('https:/app.example.com/ https:app.example.com/ https:///app.example.com/'),
    ],
    [
      'backslashes',
      ['https://app.example.com\\@evil.example/', 'https:\\\\app.example.com/', `${app}\\evil.example`],
    ],
    [
      'credentials',
      splitWords(
        'https://ada:secret@app.example.com/ https://app.example.com@evil.example/ https://@app.example.com/',
      ),
    ],
    [
      'whitespace and control characters',
      [
        ` ${app}`,
        ...['a b', '\r\nLocation: https://evil.example/', '\n', '\0', '\u007f'].map((end) => app + end),
      ],
    ],
    ['markup and non-ASCII characters', [`${app}<b>`, 'https://аpp.example.com/', `${app}\u202egpj`]],
    ['a port out of range', ['https://app.example.com:99999/']],
    ['2,049 characters', [app + 'x'.repeat(2025)]],
  ])('IN-10: rejects %s', (_, urls) => expect(urls.filter(isReturnUrl)).toEqual([]));
});

describe('returnUrlProblem', () => {
  const origins = ['https://app.example.com', 'http://localhost:5173'];
  const listedUrls = splitWords(
    'https://app.example.com/x?y#z https://app.example.com:443/x HTTPS://APP.EXAMPLE.COM/x',
  );
  const unlistedUrls =
    splitWords(`https://app.example.com:8443/x http://localhost:8080/x https://localhost:5173/x
    https://example.com/ https://x.app.example.com/ https://app.example.com.evil.example/
    https://evil.example/https://app.example.com`);
  const local = ['http://localhost:5173/x'];

  it.each<[string, string[], string[], boolean, string | null]>([
    ['any origin without a list', ['https://evil.example/'], [], true, null],
    ['the local machine outside production', local, [], false, null],
    ['the local machine on the list outside production', local, origins, false, null],
    ['an origin on the list', listedUrls, origins, true, null],
    ['the local machine in production', local, [], true, 'https://'],
    ['the local machine in production, even on the list', local, origins, true, 'https://'],
    ['another origin', unlistedUrls, origins, false, 'billingReturnOrigins'],
    [
      'another https origin in production',
      unlistedUrls.filter((url) => url[4] === 's'),
      origins,
      true,
      'billingReturn',
    ],
  ])('IN-10: checks %s', (_, urls, list, production, problem) => {
    for (const url of urls) {
      const found = returnUrlProblem(url, list, production);
      if (problem === null) expect(found).toBeNull();
      else expect(found).toContain(problem);
    }
  });
});
