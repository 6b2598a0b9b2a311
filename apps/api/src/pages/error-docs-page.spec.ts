import { createHash } from 'node:crypto';
import { contrastRatio, errorCatalog } from '@gatehouse/domain';
import { escapeHtml } from '@gatehouse/platform';
import { errorDocsPage, errorDocsPolicy } from './error-docs-page.js';

const css = /<style>([^<]*)<\/style>/.exec(errorDocsPage)![1]!;

describe('errorDocsPage', () => {
  it('has a section for each code and an index by status', () => {
    for (const [code, { status, title, cause, remedy }] of Object.entries(errorCatalog)) {
      const sections = [...errorDocsPage.matchAll(new RegExp(`<section id="${code}">(.*?)</section>`, 'gs'))];
      expect(sections).toHaveLength(1);
      for (const text of [`${status} · ${title}`, cause, remedy])
        expect(sections[0]![1]).toContain(escapeHtml(text));
    }
    const nav = /<nav[^>]*>(.*?)<\/nav>/s.exec(errorDocsPage)![1]!;
    const indexed = [...nav.matchAll(/<strong>(\d+)<\/strong><ul>(.*?)<\/ul>/g)].flatMap(([, status, list]) =>
      [...list!.matchAll(/href="#(\w+)"/g)].map(([, code]) => [code, Number(status)]),
    );
    const expected = Object.entries(errorCatalog).map(([code, { status }]) => [code, status]);
    expect(indexed.toSorted()).toEqual(expected.toSorted());
  });

  it('HD-01: allows only the style of the page in its policy', () => {
    const hash = createHash('sha256').update(css).digest('base64');
    expect(errorDocsPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
  });

  it('HD-01: contains no script and no inline style, and loads nothing', () => {
    expect(errorDocsPage).not.toMatch(
      /<script|<link|<img|<iframe|\son\w+=|\sstyle=|\ssrc=|url\(|@import|https?:/i,
    );
  });

  it('has a text contrast of at least 4.5:1 in the light and the dark theme', () => {
    const [light, dark] = css.split('@media').map((part) => {
      const matches = [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)];
      return Object.fromEntries(matches.map(([, name, color]) => [name, color!]));
    });
    for (const palette of [light!, { ...light, ...dark }])
      for (const text of ['text', 'quiet'])
        for (const background of ['background', 'card'])
          expect(contrastRatio(palette[text], palette[background])).toBeGreaterThanOrEqual(4.5);
    expect(Object.keys(dark)).toContain('background');
  });
});
