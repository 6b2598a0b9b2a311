import { isSlug, slugOf } from './slug.js';

describe('a slug', () => {
  it.each([
    ['My project', 'my-project'],
    ['  Zoë & Ünal, Inc. ', 'zoe-unal-inc'],
    ['X', 'project-x'],
    ['日本語', 'project'],
    ['---', 'project'],
    ['a'.repeat(100), 'a'.repeat(47)],
  ])('of %j is %s', (name, slug) => {
    expect(slugOf(name, 'project')).toBe(slug);
    expect(isSlug(slug)).toBe(true);
  });

  it.each(['My project', 'X', '日本語', `${'a'.repeat(40)} ${'b'.repeat(60)}`])(
    'of %j with an ending is another one, and still a slug',
    (name) => {
      const slug = slugOf(name, 'project', '0a1b2c');
      expect(slug).toMatch(/[a-z0-9]-0a1b2c$/);
      expect(isSlug(slug)).toBe(true);
    },
  );

  it.each(['', 'ab', 'a'.repeat(49), 'Abc', 'a_b', 'a b', 'abc\n', 'äbc'])('%j is none', (text) => {
    expect(isSlug(text)).toBe(false);
  });
});
