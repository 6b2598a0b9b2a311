import { toText } from '../source-fields.js';
import { toObjects } from '../source-values.js';

/**
 * Returns the attributes, and the names of those that occur twice with different values. The first value is used.
 */
export function readAttributes(list: unknown): { attributes: Map<string, string>; repeated: string[] } {
  const attributes = new Map<string, string>();
  const repeated: string[] = [];
  for (const { Name, Value } of toObjects(list)) {
    const [name, value] = [toText(Name), toAttribute(Value)];
    const other = attributes.get(name);
    if (other === undefined) attributes.set(name, value);
    else if (other !== value) repeated.push(name);
  }
  // It is unknown which of the addresses the user has verified.
  if (repeated.includes('email') || repeated.includes('email_verified'))
    attributes.set('email_verified', 'false');
  return { attributes, repeated };
}

/** Returns the value of an attribute as a string, even if another program has already parsed the JSON in it. */
const toAttribute = (value: unknown): string =>
  value === true || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : toText(value);
