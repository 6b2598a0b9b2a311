import { isSlug, slugify } from './slug.js';

describe('a slug', () => {
  it('is derived from any name, with or without a suffix', () => {
    const slugs: Record<string, string> = {
      'My project': 'my-project',
      '  Zoë & Ünal, Inc. ': 'zoe-unal-inc',
      X: 'project-x',
      日本語: 'project',
      '---': 'project',
      ['a'.repeat(100)]: 'a'.repeat(47),
      [`${'a'.repeat(40)} ${'b'.repeat(60)}`]: `${'a'.repeat(40)}-${'b'.repeat(6)}`,
    };
    for (const [name, slug] of Object.entries(slugs)) {
      expect(slugify(name, 'project')).toBe(slug);
      expect(isSlug(slug)).toBe(true);
      expect(slugify(name, 'project', '0a1b2c')).toMatch(/[a-z0-9]-0a1b2c$/);
      expect(isSlug(slugify(name, 'project', '0a1b2c'))).toBe(true);
    }
  });

  it('has 3 to 48 letters, digits and hyphens', () => {
    expect(['', 'ab', 'a'.repeat(49), 'Abc', 'a_b', 'a b', 'abc\n', 'äbc'].filter(isSlug)).toEqual([]);
  });
});
