/** Licenses of packages that Gatehouse may distribute. All are permissive and compatible with Apache-2.0. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  // For fonts only. Fonts must be distributed with their copyright notice, which their files contain.
  'OFL-1.1',
  'Python-2.0',
]);

/** Packages that declare their license in the obsolete field `licenses`, which package-lock.json omits. */
const KNOWN = { busboy: 'MIT', streamsearch: 'MIT' };

/** Returns the license of a CycloneDX component as an SPDX expression. */
export function describeLicense({ name, licenses = [] }) {
  const [declared] = licenses.map(({ expression, license }) => expression ?? license.id ?? license.name);
  return declared ?? KNOWN[name] ?? 'unknown';
}

/**
 * Returns true if a license is allowed: `A OR B` if either is allowed, `A AND B` if both are.
 * @param {string} expression an SPDX expression, with parentheses only around the entire expression
 */
export function isAllowedLicense(expression) {
  const alternatives = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((license) => license.split(' AND ').every((name) => ALLOWED.has(name)));
}
