import { endOfString } from '../http/bodies/json-strings.js';

/**
 * Returns the JSON of `data` from each event in a body, exactly as it was sent, because parsing and serializing
 * it again would change numbers such as 49.90 and reorder keys such as "2". Returns "" for an event without
 * `data`.
 * @param body valid JSON, an object or a list of objects
 */
export function sliceData(body: string): string[] {
  const slices: string[] = [];
  // The depth of an event's members.
  const memberDepth = body.trimStart().startsWith('[') ? 2 : 1;
  let depth = 0;
  let keyStart = 0;
  let valueStart = 0;
  let isData = false;
  let slice = '';
  for (let index = 0; index < body.length; index += 1) {
    const character = body[index]!;
    if (character === '"') {
      keyStart = index;
      index = endOfString(body, index);
    } else if (character === '{' || character === '[') depth += 1;
    else if (depth === memberDepth && character === ':') {
      const key = body.slice(keyStart, endOfString(body, keyStart) + 1);
      isData = JSON.parse(key) === 'data';
      valueStart = index + 1;
    } else if (depth === memberDepth && (character === ',' || character === '}')) {
      // The last value of a repeated key is used, as in JSON.parse.
      if (isData) slice = body.slice(valueStart, index).trim();
      isData = false;
    }
    if (character === '}' || character === ']') {
      if (depth === memberDepth) {
        slices.push(slice);
        slice = '';
      }
      depth -= 1;
    }
  }
  return slices;
}
