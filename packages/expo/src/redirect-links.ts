import { GatehouseError, type RedirectResult } from '@gatehouse/js';
import type { LinkingModule, Subscription } from './native-modules.js';

/** The outcome of a link that opened the app. */
export type RedirectOutcome =
  | { result: RedirectResult; error: null }
  | { result: null; error: GatehouseError };

/**
 * Completes flows whose redirect opens the app: emailed links, and browser flows during which the system terminated the
 * app. Handles each link once.
 */
export class RedirectLinks {
  private readonly listeners = new Set<(outcome: RedirectOutcome) => void>();
  private readonly handled = new Set<string>();
  /**
   * The last outcome before the first listener: a link that starts the app arrives before the first screen is rendered.
   */
  private unread: RedirectOutcome | undefined;
  private readonly subscription: Subscription;

  /** @param handle completes the flow of a link. Returns null if the link is not a Gatehouse redirect */
  constructor(
    linking: LinkingModule,
    private readonly handle: (url: string) => Promise<RedirectResult | null>,
  ) {
    this.subscription = linking.addEventListener('url', ({ url }) => void this.receive(url));
    void linking.getInitialURL().then((url) => (url === null ? undefined : this.receive(url)));
  }

  /**
   * Calls the listener with the last outcome that no listener received, if any, and with each later outcome. Returns a
   * function that unsubscribes.
   */
  subscribe(listener: (outcome: RedirectOutcome) => void): () => void {
    this.listeners.add(listener);
    const { unread } = this;
    this.unread = undefined;
    if (unread) listener(unread);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.subscription.remove();
  }

  private async receive(url: string): Promise<void> {
    // The link that starts the app can also arrive as an event.
    if (this.handled.has(url)) return;
    this.handled.add(url);
    try {
      const result = await this.handle(url);
      if (result) this.announce({ result, error: null });
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      // The code may be unused if there was no response, so the customer can open the link again.
      if (error.status === 0) this.handled.delete(url);
      this.announce({ result: null, error });
    }
  }

  private announce(outcome: RedirectOutcome): void {
    if (this.listeners.size === 0) this.unread = outcome;
    for (const listener of this.listeners) listener(outcome);
  }
}
