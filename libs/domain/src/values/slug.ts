const MAX_LENGTH = 48;

/** The slug format (contract, section 4). */
export const slugPattern = /^[a-z0-9-]{3,48}$/;

export const isSlug = (text: string): boolean => slugPattern.test(text);

/**
 * Derives a slug from the ASCII letters and digits of a name. If there are fewer than three, it starts with `fallback`.
 * @param suffix appended to make the slug unique
 */
export function slugify(name: string, fallback: string, suffix = ''): string {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const base = words
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_LENGTH - suffix.length - 1);
  const trimmed = base.replace(/-+$/, '');
  const readable = trimmed.length >= 3 ? trimmed : [fallback, trimmed].filter(Boolean).join('-');
  return suffix ? `${readable}-${suffix}` : readable;
}
