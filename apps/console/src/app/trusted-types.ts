interface TrustedTypes {
  createPolicy(name: string, rules: Record<string, (text: string) => string>): void;
}

/**
 * Installs the page's only Trusted Types policy (requirement CO-02). Libraries write style sheets and empty strings
 * through `innerHTML`. Text that could contain an element, and every script or script URL, is rejected.
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
