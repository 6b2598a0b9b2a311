import { createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate authority for one test. Its P-256 key is never stored. */
export interface Authority {
  /** The certificate as PEM. */
  cert: string;
  /** Returns a certificate for host names, and its key, in the `tls.createServer` format. */
  issue(names: string[], validity?: { from: Date; until: Date }): { cert: string; key: string };
}

const DAY = 86_400_000;
const validThisWeek = () => ({ from: new Date(Date.now() - DAY), until: new Date(Date.now() + 6 * DAY) });

export function createAuthority(): Authority {
  const { privateKey } = newKey();
  const name = 'Test authority';
  const own = {
    subject: name,
    issuer: name,
    key: privateKey,
    signer: privateKey,
    names: [],
    isAuthority: true,
  };
  return {
    cert: certificate({ ...own, ...validThisWeek() }),
    issue: (names, validity = validThisWeek()) => {
      const { privateKey: key } = newKey();
      const leaf = { subject: names[0]!, issuer: name, key, signer: privateKey, names, isAuthority: false };
      return { cert: certificate({ ...leaf, ...validity }), key: pem(key) };
    },
  };
}

/** Returns a self-signed certificate and its key. */
export function selfSigned(names: string[]): { cert: string; key: string } {
  const { privateKey: key } = newKey();
  const own = { subject: names[0]!, issuer: names[0]!, key, signer: key, names, isAuthority: false };
  return { cert: certificate({ ...own, ...validThisWeek() }), key: pem(key) };
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;

interface CertificateOptions {
  subject: string;
  issuer: string;
  key: KeyObject;
  signer: KeyObject;
  names: string[];
  isAuthority: boolean;
  from: Date;
  until: Date;
}

/** Returns an X.509 version 3 certificate (RFC 5280, section 4.1) as PEM, signed with ECDSA and SHA-256. */
function certificate(options: CertificateOptions): string {
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const altNames = options.names.map((name) =>
    /^[\d.]+$/.test(name)
      ? tag(0x87, Buffer.from(name.split('.').map(Number)))
      : tag(0x82, Buffer.from(name)),
  );
  const extensions = [
    ...(options.isAuthority ? [extension('551d13', sequence(tag(0x01, Buffer.from([0xff]))))] : []),
    ...(altNames.length > 0 ? [extension('551d11', sequence(...altNames))] : []),
  ];
  const content = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(options.issuer),
    sequence(time(options.from), time(options.until)),
    distinguishedName(options.subject),
    createPublicKey(options.key).export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, options.signer);
  const der = sequence(content, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function tag(type: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tag(0x30, Buffer.concat(parts));
const oid = (hex: string): Buffer => tag(0x06, Buffer.from(hex, 'hex'));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), tag(0x04, value));
const distinguishedName = (commonName: string): Buffer =>
  sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(commonName)))));
/** Encodes a date as GeneralizedTime. */
const time = (date: Date): Buffer =>
  tag(0x18, Buffer.from(date.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '')));
