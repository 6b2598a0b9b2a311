import type { CDPSession, Page } from 'playwright-core';

/** A virtual authenticator for passkeys in Chromium. */
export interface VirtualAuthenticator {
  devTools: CDPSession;
  authenticatorId: string;
}

/** Adds an authenticator to a page. It verifies the user and approves every request. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devTools, authenticatorId };
}
