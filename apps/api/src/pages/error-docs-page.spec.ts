import { createHash } from 'node:crypto';
import { contrastRatio, errorCatalog } from '@gatehouse/domain';
import { escapeHtml } from '@gatehouse/platform';
import { errorDocsPage, errorDocsPolicy } from './error-docs-page.js';

const css = /<style>([^<]*)<\/style>/.exec(errorDocsPage)![1]!;

describe('the page of the error codes', () => {
  it('has a section for each code, and an index of them by status', () => {
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

  it('HD-01: its policy lets in nothing but its very style', () => {
    const hash = createHash('sha256').update(css).digest('base64');
    expect(errorDocsPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
  });

  it('HD-01: has no script, no style of its own, and asks nobody for anything', () => {
    expect(errorDocsPage).not.toMatch(
      /<script|<link|<img|<iframe|\son\w+=|\sstyle=|\ssrc=|url\(|@import|https?:/i,
    );
  });

  it('reads at 4.5:1 or better on its own background, in the light and in the dark', () => {
    const [light, dark] = css.split('@media').map((part) => {
      const found = [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)];
      return Object.fromEntries(found.map(([, name, color]) => [name, color!]));
    });
    for (const palette of [light!, { ...light, ...dark }])
      for (const text of ['text', 'quiet'])
        for (const back of ['back', 'card'])
          expect(contrastRatio(palette[text], palette[back])).toBeGreaterThanOrEqual(4.5);
    expect(Object.keys(dark)).toContain('back');
  });
});
