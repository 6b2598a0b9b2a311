import { Problem } from '../http/problem';

/** True if the browser supports passkeys and the conversions in WebAuthn level 3. */
export const supportsPasskeys =
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Returns a credential's JSON. @throws Problem `passkey_canceled` if the operator has chosen none */
async function describe(request: Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await request;
    if (credential) return (credential as PublicKeyCredential).toJSON();
  } catch {
    // The browser does not reveal why there is none.
  }
  throw new Problem({
    code: 'passkey_canceled',
    status: 0,
    title: 'No passkey was used',
    detail: 'The request was canceled, has timed out, or this device has no suitable passkey.',
    requestId: '',
  });
}

/** Opens the browser's dialog for using a passkey. @throws Problem `passkey_canceled` */
export const getPasskey = <Response>(options: object): Promise<Response> =>
  describe(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  ) as Promise<Response>;

/** Opens the browser's dialog for creating a passkey. @throws Problem `passkey_canceled` */
export const createPasskey = <Response>(options: object): Promise<Response> =>
  describe(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  ) as Promise<Response>;
