import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { testWorker } from './test-worker.js';

export type RecordType = 'A' | 'AAAA' | 'TXT';

/**
 * The response to a query: addresses of either family, an alias, strings or an error code. `silent` means no
 * response.
 */
export type NameResponse =
  | string[]
  | { cname: string; addresses: string[] }
  | { texts: string[] }
  | keyof typeof responseCodes
  | 'silent';

/** A response, or a function that returns one. `nth` counts the queries of one type for one name, from 0. */
export type NameRecord = NameResponse | ((nth: number, type: RecordType) => NameResponse);

const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };
const recordTypes: Record<number, RecordType> = { 1: 'A', 16: 'TXT', 28: 'AAAA' };

/** A real name server (UDP, RFC 1035) whose responses are defined by a test. TTL is 0. */
export class NameServer {
  /** All queries so far. */
  readonly questions: { name: string; type: RecordType }[] = [];
  /** Records by lowercase name. `*` matches every other name. */
  records: Record<string, NameRecord>;
  private constructor(
    private readonly socket: Socket,
    records: Record<string, NameRecord>,
  ) {
    this.records = records;
  }

  /** @param port default: any free port */
  static async start(records: Record<string, NameRecord> = {}, port = 0): Promise<NameServer> {
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    await once(socket, 'listening');
    const server = new NameServer(socket, records);
    socket.on('message', (message, client) => server.handle(message, client));
    return server;
  }

  /** Starts the name server that the shared api queries. */
  static async startShared(): Promise<NameServer> {
    return NameServer.start({}, await testWorker!.nameServerPort());
  }

  /** The address in the WEBHOOK_DNS_SERVERS format. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  countQuestions(name: string, type?: RecordType): number {
    return this.questions.filter((each) => each.name === name && (!type || each.type === type)).length;
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private handle(message: Buffer, client: RemoteInfo): void {
    const { name, end } = readName(message);
    const type = recordTypes[message.readUInt16BE(end)];
    if (!type) return;
    const nth = this.countQuestions(name, type);
    this.questions.push({ name, type });
    const record = this.records[name] ?? this.records['*'] ?? 'NXDOMAIN';
    const response = typeof record === 'function' ? record(nth, type) : record;
    if (response === 'silent') return;
    const question = message.subarray(0, end + 4);
    this.socket.send(encodeResponse(question, type, response), client.port, client.address);
  }
}

function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (; message[at] !== 0; at += message[at]! + 1)
    labels.push(message.toString('latin1', at + 1, at + 1 + message[at]!));
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function encodeResponse(
  question: Buffer,
  type: RecordType,
  response: Exclude<NameResponse, 'silent'>,
): Buffer {
  const head = Buffer.from(question);
  const records =
    typeof response === 'string'
      ? []
      : 'texts' in response
        ? response.texts.map((text) => encodeRecord(QUESTION_NAME, 16, encodeText(text)))
        : encodeAddresses(type, response);
  head.writeUInt16BE(0x8180 | (typeof response === 'string' ? responseCodes[response] : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

/** A compression pointer to the name in the question. */
const QUESTION_NAME = Buffer.from([0xc0, 12]);

function encodeAddresses(
  type: RecordType,
  response: string[] | { cname: string; addresses: string[] },
): Buffer[] {
  const { cname, addresses } = Array.isArray(response) ? { addresses: response } : response;
  const owner = cname === undefined ? QUESTION_NAME : encodeName(cname);
  const family = { A: 1, AAAA: 28, TXT: undefined }[type];
  const wanted = family ? addresses.filter((address) => address.includes(':') === (type === 'AAAA')) : [];
  return [
    ...(cname === undefined ? [] : [encodeRecord(QUESTION_NAME, 5, encodeName(cname))]),
    ...wanted.map((address) =>
      encodeRecord(owner, family!, Buffer.from(ipaddr.parse(address).toByteArray())),
    ),
  ];
}

/** Encodes a string as parts of at most 255 bytes. */
function encodeText(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part, 'latin1')])));
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** Encodes a record with class IN and TTL 0. */
function encodeRecord(owner: Buffer, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(type, 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, middle, data]);
}
