/** A file that cannot be read. The message is a clause without the file name and without a period. */
export class FileError extends Error {
  override readonly name: string = 'FileError';
}

/** A file whose bytes are not in its encoding. */
export class EncodingError extends FileError {
  override readonly name = 'EncodingError';

  constructor(
    readonly encoding: string,
    /** The line with the first byte that cannot be decoded, counted from 1. */
    readonly line: number,
  ) {
    super(`line ${line} is not ${encoding.toUpperCase()}`);
  }
}
