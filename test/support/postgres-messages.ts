/** Returns a PostgreSQL protocol message (version 3.0, "Message Formats"): type, length and content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, content]);
}

export const authenticated = message('R', Buffer.alloc(4));
export const readyForQuery = message('Z', Buffer.from('I'));
export const shuttingDown = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));
export const parameterStatus = (name: string, value: string): Buffer =>
  message('S', Buffer.from(`${name}\0${value}\0`));
