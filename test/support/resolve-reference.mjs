/**
 * Returns the part of a document that a value with `$ref` refers to, such as `#/components/schemas/Customer`. Returns
 * any other value unchanged.
 * @param {any} value
 * @param {Record<string, any>} document
 * @returns {any} undefined if the document has no such part
 */
export function resolveReference(value, document) {
  const reference = value?.['$ref'];
  if (typeof reference !== 'string') return value;
  const steps = reference.split('/').slice(1);
  return resolveReference(
    steps.reduce((at, step) => at?.[step], document),
    document,
  );
}
