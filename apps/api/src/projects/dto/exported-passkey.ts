import type { PortablePasskey } from '@gatehouse/persistence';
import { PasskeyResponse } from '../../passkeys/dto/passkey.response.js';

/** A passkey in a line of an export, in the format that imports accept. */
export class ExportedPasskey {
  rpId!: string | null;
  credentialId!: string;
  publicKey!: string;
  userHandle!: string;
  counter!: number;
  transports!: string[];
  deviceType!: 'singleDevice' | 'multiDevice';
  backedUp!: boolean;
  aaguid!: string;
  name!: string;
  createdAt!: string;
  lastUsedAt!: string | null;

  static from(passkey: PortablePasskey, rpId: string | null): ExportedPasskey {
    const { counter, transports, backedUp, aaguid } = passkey;
    const { name, createdAt, lastUsedAt } = PasskeyResponse.from(passkey);
    return {
      rpId,
      credentialId: passkey.credentialId.toString('base64url'),
      publicKey: passkey.publicKey.toString('base64url'),
      userHandle: passkey.userHandle.toString('base64url'),
      counter,
      transports,
      deviceType: passkey.deviceBound ? 'singleDevice' : 'multiDevice',
      backedUp,
      aaguid,
      name,
      createdAt,
      lastUsedAt,
    };
  }
}
