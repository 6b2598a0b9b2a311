interface TrustedTypes {
  createPolicy(name: string, rules: Record<string, (text: string) => string>): void;
}

/**
 * The only Trusted Types policy of the page (requirement CO-02). The libraries write style sheets and empty texts
 * through `innerHTML`; whatever could be an element, a script or its address is refused.
 */
export function installTrustedTypes(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('The console does not create HTML from strings.');
      return text;
    },
  });
}

installTrustedTypes();
