import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Receiver, type Responder } from './receiver.js';

/** The credentials in a request to a previous system. */
export interface LegacyCredentials {
  email: string;
  password: string;
}

/** A real previous system, which accepts one password for every address and only signed requests. */
export class LegacySystem {
  readonly secret = `whsec_${randomBytes(32).toString('base64')}`;
  private constructor(readonly receiver: Receiver) {}

  static async start(): Promise<LegacySystem> {
    const system = new LegacySystem(await Receiver.start());
    system.receiver.defaultResponder = system.respondWithProfile();
    return system;
  }

  /** The value for the setting `legacySignIn`. */
  get setting(): { url: string; secret: string } {
    return { url: this.receiver.url, secret: this.secret };
  }

  /** Returns the credentials in the requests for an address, oldest first. */
  listRequests(email: string): LegacyCredentials[] {
    return this.receiver.requests
      .map(({ body }) => JSON.parse(body) as LegacyCredentials)
      .filter((credentials) => credentials.email === email);
  }

  /** Responds with a profile to the correct password, and otherwise like a receiver in the documentation. */
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

/** Too short for the current requirements. */
export const LEGACY_PASSWORD = 'old';
