import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Database } from '@gatehouse/persistence';
import { createLogger, type Config } from '@gatehouse/platform';
import { eventually } from '../support/eventually.js';

/** Returns a message of PostgreSQL's protocol (version 3.0, "Message Formats"): type, length and content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const authenticated = message('R', Buffer.alloc(4));
const readyForQuery = message('Z', Buffer.from('I'));
const shuttingDown = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

describe('a shutdown of PostgreSQL while the pool hands out a connection', () => {
  it('does not end the process, and the pool connects again', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      // Sent at once, so that all of it is read before the code that receives the connection runs.
      socket.once('data', () => socket.end(Buffer.concat([authenticated, readyForQuery, shuttingDown])));
      socket.on('error', () => undefined);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `postgres://nobody@127.0.0.1:${port}/nothing`;
    const config = { database: { url, pool: 1 } } as Config;
    const database = new Database(config, createLogger({ logLevel: 'silent' }, 'test'));
    const connecting = database.connect();
    try {
      await eventually('three attempts', () => connections >= 3);
    } finally {
      await database.close();
      await connecting;
      server.close();
    }
    expect(database.isConnected).toBe(false);
  });
});
