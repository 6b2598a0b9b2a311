/** The nonce by which this page may add style sheets (requirement CO-02). */
export const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// The scroll lock behind Mantine's dialogs asks for it by this name.
Object.assign(window, { __webpack_nonce__: styleNonce });
