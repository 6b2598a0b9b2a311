import {
  escapeHtml,
  now,
  OutboundClient,
  signedHeaders,
  withTimeout,
  type Mailer,
} from '@gatehouse/platform';

/** Time limits for the mail server and the alert receiver, in ms. */
const MAIL_TIMEOUT_MS = 30_000;
const WEBHOOK_TIMEOUT_MS = 10_000;

/** An alert in all formats that the channels need. */
export interface AlertMessage {
  /** Message id. It stays the same when the message is sent again. */
  id: string;
  subject: string;
  text: string;
  /** Structured data for programs. */
  data: Record<string, unknown>;
}

/** Sends an alert. Rejects if the receiver or the mail server does not accept it. */
export type SendAlert = (message: AlertMessage, signal: AbortSignal) => Promise<void>;

/**
 * Returns a function that posts alerts as JSON that Slack can display, signed according to Standard Webhooks. The URL
 * comes from the configuration, so it may point to an internal service.
 * @param secrets signing secrets. Each adds a signature, so that a receiver can still use the previous secret
 */
export function createWebhookAlertSender(url: string, secrets: string[]): SendAlert {
  const client = OutboundClient.forOperatorTargets(WEBHOOK_TIMEOUT_MS);
  return async ({ id, text, data }, signal) => {
    const body = JSON.stringify({
      type: `alert.${String(data['kind'])}`,
      timestamp: now().toISOString(),
      text,
      data,
    });
    const headers = signedHeaders(id, body, secrets);
    const response = await client.request({ method: 'POST', url, headers, body, signal });
    response.discard();
    if (!response.ok) throw new Error(`ALERT_WEBHOOK_URL responded with status ${response.status}`);
  };
}

/** Returns a function that sends alerts by email. */
export const createMailAlertSender =
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
