/** The nonce that allows this page to add style sheets (requirement CO-02). */
export const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// The scroll lock in Mantine's dialogs reads the nonce from this global variable.
Object.assign(window, { __webpack_nonce__: styleNonce });
