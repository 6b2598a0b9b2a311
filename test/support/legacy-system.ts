import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Receiver, type Responder } from './receiver.js';

/** The credentials in a request to a previous system. */
export interface LegacyCredentials {
  email: string;
  password: string;
}

/** A previous system. It accepts one password for every email address, and only signed requests. */
export class LegacySystem {
  /** The secret that signs the requests. */
  secret = `whsec_${randomBytes(32).toString('base64')}`;
  private constructor(readonly receiver: Receiver) {}

  static async start(): Promise<LegacySystem> {
    const system = new LegacySystem(await Receiver.start());
    system.receiver.defaultResponder = system.respondWithProfile();
    return system;
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }

  /** The `legacySignIn` setting. */
  get setting(): { url: string; secret: string } {
    return { url: this.receiver.url, secret: this.secret };
  }

  /** Returns the credentials from all requests for an email address, oldest first. */
  listRequests(email: string): LegacyCredentials[] {
    return this.receiver.requests
      .map(({ body }) => JSON.parse(body) as LegacyCredentials)
      .filter((credentials) => credentials.email === email);
  }

  /**
   * Responds to the correct password with a profile, and to other requests with 401 or 400, like the receiver in the
   * documentation.
   */
  respondWithProfile(more: object = {}): Responder {
    return (response, { headers, body }) => {
      const { email, password } = JSON.parse(body) as LegacyCredentials;
      const isCorrect = password === LEGACY_PASSWORD;
      response.statusCode = this.isSigned(headers, body) ? (isCorrect ? 200 : 401) : 400;
      response.end(isCorrect ? JSON.stringify({ email, emailVerified: true, ...more }) : '');
    };
  }

  private isSigned(headers: object, body: string): boolean {
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }
}

/** Shorter than Gatehouse's minimum password length. */
export const LEGACY_PASSWORD = 'old';
