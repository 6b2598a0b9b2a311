/** The licenses for packages that Gatehouse may distribute. All are permissive, so that they can be combined with Apache-2.0. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Fonts only. A font may be distributed with its copyright notice, which its files contain.
  'OFL-1.1',
  'Python-2.0',
]);

/** Packages that name their license in the outdated field `licenses`, which package-lock.json does not contain. */
const KNOWN = { busboy: 'MIT', streamsearch: 'MIT' };

/** Returns a component's license in the CycloneDX format, as an SPDX expression. */
export function describeLicense({ name, licenses = [] }) {
  const [declared] = licenses.map(({ expression, license }) => expression ?? license.id ?? license.name);
  return declared ?? KNOWN[name] ?? 'unknown';
}

/**
 * Returns whether a license is allowed: for `A OR B` if either is, for `A AND B` if both are.
 * @param {string} expression SPDX, with parentheses around the whole expression at most
 */
export function isAllowedLicense(expression) {
  const alternatives = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((license) => license.split(' AND ').every((name) => ALLOWED.has(name)));
}
