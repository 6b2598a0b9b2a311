import { basename } from 'node:path';
import { JSONParser, TokenType } from '@streamparser/json';
import { KeyTracker } from './key-tracker.js';
import { STRING_BUFFER_SIZE, writeJson } from './read-files.js';
import { readDecoded, unreadableFileError } from './read-text.js';
import { rejectRepeatedKey } from './repeated-keys.js';

/** A value in a JSON document. */
export interface DocumentValue {
  /** The position for reports: the file name and the number of the element, counted from 1 over the entire file. */
  position: string;
  /** The name of the top-level member that is or contains the value; null if the value is not in a member. */
  name: string | null;
  value: unknown;
}

/**
 * Reads the values at paths, such as `$.users.*`, in a file's JSON documents: one document, or several concatenated
 * ones, as `cat page1.json page2.json` writes them. The documents can have any size, but each value is kept in memory.
 * @param onDocument called at the start of each document that is an object
 * @throws CliError
 */
export async function* readDocuments(
  file: string,
  paths: string[],
  onDocument?: () => void,
): AsyncGenerator<DocumentValue> {
  const parser = new JSONParser({
    ...{ paths, keepStack: false, stringBufferSize: STRING_BUFFER_SIZE },
    // Another document can follow.
    separator: '',
  });
  const fileName = basename(file);
  let values: DocumentValue[] = [];
  let number = 0;
  const level = Math.max(...paths.map((path) => path.split('.').length - 1));
  const tracker = new KeyTracker(level);
  parser.onValue = ({ value, key, stack }) => {
    // The elements of a list are the records, and named members describe the document.
    if (typeof key !== 'string') number += 1;
    const name = stack.length > 1 ? stack[1]!.key : key;
    const position = `${fileName}#${number}`;
    const repeated = stack.length === level ? tracker.findRepeated(value) : null;
    values.push({
      position,
      name: typeof name === 'string' ? name : null,
      value: repeated === null ? value : rejectRepeatedKey(position, repeated),
    });
  };
  parser.onToken = tracker.onToken;
  if (onDocument) {
    const countDocument = createDocumentCounter(onDocument);
    parser.onToken = (token) => {
      tracker.onToken(token);
      countDocument(token);
    };
  }
  try {
    for await (const chunk of readDecoded(file)) {
      writeJson(parser, chunk);
      for (const value of values) yield value;
      values = [];
    }
    endJson(parser);
    for (const value of values) yield value;
  } catch (error) {
    throw unreadableFileError(file, error);
  }
}

/** Returns a token handler that calls `onDocument` at the start of each top-level object. */
function createDocumentCounter(onDocument: () => void): ({ token }: { token: TokenType }) => void {
  let depth = 0;
  return ({ token }) => {
    if (token === TokenType.LEFT_BRACE && depth === 0) onDocument();
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
  };
}

function endJson(parser: JSONParser): void {
  try {
    parser.end();
  } catch {
    throw new Error('it is incomplete JSON');
  }
}

/** Returns the first value at one of the paths, or null. @throws CliError */
export async function findValue(file: string, paths: string[]): Promise<DocumentValue | null> {
  for await (const value of readDocuments(file, paths)) return value;
  return null;
}
