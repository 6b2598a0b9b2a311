import { escapeHtml, now, signWebhook, webhookUserAgent, withTimeout, type Mailer } from '#platform';

/** Longest wait for a mail server that takes its time, and for a receiver, in ms. */
const MAIL_TIMEOUT_MS = 30_000;
const WEBHOOK_TIMEOUT_MS = 10_000;

/** What is told, in every form that a channel may need. */
export interface AlertMessage {
  /** The same when a message is sent once more. */
  id: string;
  subject: string;
  text: string;
  /** For programs. */
  data: Record<string, unknown>;
}

/** Rejects when the message did not arrive. */
export type SendAlert = (message: AlertMessage, signal: AbortSignal) => Promise<void>;

/**
 * Posts what Slack and its like can show, signed as Standard Webhooks asks. The address is the operator's own, so the
 * guard of customers' targets does not stand before it; a redirect is not followed.
 * @param secrets each signs, so that a receiver may still know the one before
 */
export const webhookSender =
  (url: string, secrets: string[]): SendAlert =>
  async ({ id, text, data }, signal) => {
    const at = now();
    const body = JSON.stringify({
      type: `alert.${String(data['kind'])}`,
      timestamp: at.toISOString(),
      text,
      data,
    });
    const seconds = Math.floor(at.getTime() / 1_000);
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': webhookUserAgent,
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': secrets.map((secret) => signWebhook(secret, id, seconds, body)).join(' '),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`ALERT_WEBHOOK_URL responded with status ${response.status}`);
  };

/** Mails it. */
export const mailSender =
  (to: string, mailer: Mailer): SendAlert =>
  ({ id, subject, text }) =>
    withTimeout(
      mailer.send(id, {
        to,
        subject: `[Gatehouse] ${subject}`,
        text: `${text}\n`,
        html: `<p>${escapeHtml(text)}</p>`,
        fromName: null,
        replyTo: null,
      }),
      MAIL_TIMEOUT_MS,
      'the mail server did not respond in time',
    );
