import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';

/** Flags in authenticator data (WebAuthn, section 6.1). */
const FLAGS = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 };

/** Values that make a response differ from the options, so that it must be rejected. */
export interface Deviations {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  userVerified?: boolean;
  userPresent?: boolean;
  /** `null` omits it. */
  userHandle?: string | null;
  signature?: string;
  /** True to send an attestation, although none was requested. */
  attested?: boolean;
}

/** A passkey with its private key, for a file. */
export interface StoredPasskey {
  credentialId: string;
  userHandle: string;
  counter: number;
  privateKey: JsonWebKey;
}

const LOCAL_ORIGIN = 'http://localhost:5173';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** Encodes bytes as a CBOR byte string. They must be shorter than 64 KiB. */
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes]);
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** A passkey with an ES256 key that needs no browser and can return any response. */
export class SoftwareAuthenticator {
  readonly credentialId: Buffer;
  /** The signature counter. It is 0 for a passkey that does not count signatures. */
  counter = 0;
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;
  private userHandle = '';
  private readonly deviceBound: boolean;

  constructor({
    deviceBound = false,
    credentialId = randomBytes(32),
    privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  }: { deviceBound?: boolean; credentialId?: Buffer; privateKey?: KeyObject } = {}) {
    this.privateKey = privateKey;
    this.publicKey = createPublicKey(privateKey);
    this.deviceBound = deviceBound;
    this.credentialId = credentialId;
  }

  /** Returns the authenticator that `store` has returned. */
  static restore({ credentialId, userHandle, counter, privateKey }: StoredPasskey): SoftwareAuthenticator {
    const authenticator = new SoftwareAuthenticator({
      credentialId: Buffer.from(credentialId, 'base64url'),
      privateKey: createPrivateKey({ key: privateKey, format: 'jwk' }),
    });
    return Object.assign(authenticator, { userHandle, counter });
  }

  store(): StoredPasskey {
    const { id: credentialId, userHandle, counter } = this;
    return { credentialId, userHandle, counter, privateKey: this.privateKey.export({ format: 'jwk' }) };
  }

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  /** Returns the JSON that a browser would send after `navigator.credentials.create()`. */
  create(options: any, deviations: Deviations = {}): any {
    this.userHandle = options.user.id;
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.credentialId.length]),
      this.credentialId,
      this.coseKey(),
    ]);
    const data = this.authenticatorData(options.rp.id, deviations, FLAGS.attested);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText(deviations.attested ? 'packed' : 'none')],
      ...[cborText('attStmt'), deviations.attested ? this.attestation() : Buffer.from([0xa0])],
      cborText('authData'),
      cborBytes(Buffer.concat([data, credential])),
    ]);
    return this.respond({
      clientDataJSON: this.clientData('webauthn.create', options, deviations).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid'],
      // Browsers add members that Gatehouse does not require.
      publicKeyAlgorithm: -7,
    });
  }

  /** Returns the JSON that a browser would send after `navigator.credentials.get()`. */
  get(options: any, deviations: Deviations = {}): any {
    const clientData = this.clientData('webauthn.get', options, deviations);
    const data = this.authenticatorData(options.rpId, deviations);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.privateKey);
    const { userHandle = this.userHandle } = deviations;
    return this.respond({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: deviations.signature ?? signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    });
  }

  private respond(response: object): object {
    const { id } = this;
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    };
  }

  private clientData(type: string, options: any, deviations: Deviations): Buffer {
    const { challenge = options.challenge, origin = LOCAL_ORIGIN, crossOrigin = false } = deviations;
    return Buffer.from(JSON.stringify({ type: deviations.type ?? type, challenge, origin, crossOrigin }));
  }

  private authenticatorData(rpId: string, deviations: Deviations, more = 0): Buffer {
    const { userPresent = true, userVerified = true } = deviations;
    const flags =
      more +
      (userPresent ? FLAGS.userPresent : 0) +
      (userVerified ? FLAGS.userVerified : 0) +
      (this.deviceBound ? 0 : FLAGS.backupEligible + FLAGS.backedUp);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(deviations.rpId ?? rpId), Buffer.from([flags]), counter]);
  }

  /** Returns a packed attestation with an invalid certificate and an invalid signature (WebAuthn, section 8.2). */
  private attestation(): Buffer {
    const bytes = cborBytes(randomBytes(64));
    const certificates = Buffer.concat([Buffer.from([0x81]), bytes]);
    const algorithm = Buffer.from([0x26]);
    const members = [cborText('alg'), algorithm, cborText('sig'), bytes, cborText('x5c'), certificates];
    return Buffer.concat([Buffer.from([0xa3]), ...members]);
  }

  /** Returns the public key in COSE format: EC2, ES256, P-256, x, y (RFC 9053). */
  coseKey(): Buffer {
    const { x, y } = this.publicKey.export({ format: 'jwk' });
    const [prefix, separator] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
    return Buffer.concat([prefix, Buffer.from(x!, 'base64url'), separator, Buffer.from(y!, 'base64url')]);
  }
}
