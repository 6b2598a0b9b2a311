import { JSONParser, TokenType, type ParsedTokenInfo } from '@streamparser/json';
import { countKeys } from '../console-shared/repeated-keys.js';

type Token = Pick<ParsedTokenInfo, 'token' | 'value'>;

/**
 * Finds the records in a JSON document that contain an object with a repeated key. The parser does not report them.
 * Counts keys and keeps one record's tokens, because a set for each object would be slower.
 */
export class KeyTracker {
  private depth = 0;
  private count = 0;
  /** The strings and punctuation of the current record. Elements from `size` on belong to an earlier record. */
  private readonly tokens: (TokenType | string)[] = [];
  private size = 0;

  /** @param level the number of objects and arrays that enclose a record */
  constructor(private readonly level: number) {}

  /** Returns the field with the first repeated key in the record that has just ended, or null. */
  findRepeated(record: unknown): string | null {
    if (typeof record !== 'object' || record === null || this.count === countKeys(record)) return null;
    return findField(this.tokens.slice(0, this.size));
  }

  readonly onToken = ({ token, value }: Token): void => {
    if (token === TokenType.STRING) {
      this.add(value as string);
      return;
    }
    if (token === TokenType.COLON) this.count += 1;
    else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      if (this.depth === this.level) this.start();
      this.depth += 1;
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.depth -= 1;
    else if (token !== TokenType.COMMA) return;
    this.add(token);
  };

  private add(token: TokenType | string): void {
    this.tokens[this.size] = token;
    this.size += 1;
  }

  private start(): void {
    this.count = 0;
    this.size = 0;
  }
}

/** An object or array that contains the current token. */
interface Frame {
  /** An object's keys before the current one; null for an array. */
  keys: Set<string> | null;
  /** The current key or index. */
  at: string | number;
}

/** Returns the path to the first repeated key, in the format of server errors, or null. */
function findField(tokens: Iterable<TokenType | string>): string | null {
  const frames: Frame[] = [];
  let text = '';
  for (const token of tokens) {
    const frame = frames.at(-1);
    if (typeof token === 'string') text = token;
    else if (token === TokenType.LEFT_BRACE) frames.push({ keys: new Set(), at: '' });
    else if (token === TokenType.LEFT_BRACKET) frames.push({ keys: null, at: 0 });
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) frames.pop();
    else if (token === TokenType.COMMA && frame && !frame.keys) frame.at = Number(frame.at) + 1;
    else if (token === TokenType.COLON && frame?.keys) {
      frame.at = text;
      if (frame.keys.has(text)) return toPath(frames);
      frame.keys.add(text);
    }
  }
  return null;
}

const toPath = (frames: readonly Frame[]): string =>
  frames
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '');

/**
 * Returns the field with the first key that an object in a JSON string contains twice.
 * @param text valid JSON that contains a repeated key
 */
export function findRepeatedField(text: string): string {
  const tracker = new KeyTracker(0);
  const parser = new JSONParser({ paths: ['$'] });
  let field: string | null = null;
  parser.onToken = tracker.onToken;
  parser.onValue = ({ value }) => (field = tracker.findRepeated(value));
  parser.write(text);
  return field ?? '';
}
