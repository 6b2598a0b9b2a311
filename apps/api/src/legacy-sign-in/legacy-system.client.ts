import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, invalidField } from '@gatehouse/domain';
import type { LegacySystem } from '@gatehouse/persistence';
import {
  Config,
  errorMessage,
  Keyring,
  LOGGER,
  newId,
  OutboundClient,
  signedHeaders,
  UnreadableValues,
  type Logger,
} from '@gatehouse/platform';
import { InputPipe } from '../http/input/input.pipe.js';
import { lineLimits, parseStrictJson } from '../http/bodies/strict-json.js';
import { LegacyProfile } from './dto/legacy-profile.response.js';

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Statuses for an unknown address and a wrong password. Any other status except 200 is logged. */
const REJECTIONS = [401, 404];

interface Credentials {
  email: string;
  password: string;
}

/** Verifies passwords with the previous systems of projects. */
@Injectable()
export class LegacySystemClient {
  private readonly client: OutboundClient;
  /** Another system's response may contain more fields than Gatehouse stores. */
  private readonly input = new InputPipe({ ignoresUnknown: true });
  /** Projects whose systems send booleans as strings, so that this is logged once per project. */
  private readonly lenient = new Set<string>();

  constructor(
    config: Config,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { allowedCidrs, dnsServers } = config.webhooks;
    const policy = { production: config.production, allowedCidrs };
    this.client = OutboundClient.forTenantTargets({ policy, dnsServers, timeoutMs: TIMEOUT_MS });
  }

  /**
   * Returns the profile if a system confirms the password for an address, or null otherwise. Logs the reason for null,
   * unless the system has rejected the password or the caller has disconnected.
   */
  async findProfile(
    projectId: string,
    system: LegacySystem,
    credentials: Credentials,
    signal: AbortSignal,
  ): Promise<LegacyProfile | null> {
    try {
      const secret = this.keyring.decrypt('legacy-sign-in-secret', projectId, system.secret);
      return await this.request(projectId, { url: system.url, secret }, credentials, signal);
    } catch (error) {
      this.unreadable.report(error, { projectId });
      if (!signal.aborted)
        this.logger.warn({ projectId, reason: describeFailure(error) }, 'legacy sign-in failed');
      return null;
    }
  }

  /**
   * @throws Error if the response is neither a profile nor a rejection
   */
  private async request(
    projectId: string,
    { url, secret }: { url: string; secret: string },
    { email, password }: Credentials,
    signal: AbortSignal,
  ): Promise<LegacyProfile | null> {
    const body = JSON.stringify({ email, password });
    const headers = signedHeaders(newId(), body, [secret]);
    const post = { method: 'POST', url, headers, body, signal } as const;
    const response = await this.client.request({ ...post, reuseConnection: true });
    if (response.status !== 200) {
      response.discard();
      if (REJECTIONS.includes(response.status)) return null;
      throw new Error(`the system responded with status ${response.status}`);
    }
    const text = await response.text(MAX_RESPONSE_BYTES);
    const json = parseStrictJson(Buffer.from(text), { ...lineLimits, name: 'response' });
    // Some systems return an error with status 200, together with the request's email address.
    if (json['error']) throw invalidField('error', 'unknown_field', 'error is not a known field');
    const target = { type: 'body', metatype: LegacyProfile } as const;
    const profile = this.input.transform(json, target) as LegacyProfile;
    if (profile.email !== email) throw new Error('the profile has a different email address');
    if (typeof json['emailVerified'] === 'string') this.logLenient(projectId);
    return profile;
  }

  private logLenient(projectId: string): void {
    if (this.lenient.has(projectId)) return;
    this.lenient.add(projectId);
    this.logger.warn(
      { projectId, fields: ['emailVerified'] },
      'legacy profile contains strings instead of booleans',
    );
  }
}

/** Returns the reason for a failure, without any value from the request or the profile. */
function describeFailure(error: unknown): string {
  if (!(error instanceof GatehouseError)) return errorMessage(error);
  const { errors = [], detail } = error.details;
  return `invalid profile: ${errors.map(({ message }) => message).join('; ') || detail}`;
}
