import pg from 'pg';
import { errorCode, splitHosts } from '@gatehouse/platform';
import { isOutage, READ_ONLY } from './unavailable-error.js';

/** Connection timeout per host, in ms. All hosts are probed at the same time. */
const PROBE_TIMEOUT_MS = 1_000;

/**
 * The parameters that must be off, by `target_session_attrs` value (libpq). PostgreSQL 14 and later reports them when
 * a client connects.
 */
const rejectedParameters: Record<string, string[]> = {
  any: [],
  primary: ['in_hot_standby'],
  'read-write': ['in_hot_standby', 'default_transaction_read_only'],
};

/** A PostgreSQL protocol `ParameterStatus` message. */
export interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

interface Address {
  host: string;
  port: number;
}

/**
 * The hosts in a database URL. Connections go to the first host that `target_session_attrs` accepts, as with libpq;
 * pg supports neither multiple hosts nor this parameter (ADR 0057). The default is `read-write`, unlike in libpq,
 * because Gatehouse writes. The choice is kept until a connection fails or rejects a write.
 */
export class DatabaseHosts {
  private chosen: Promise<Address> | undefined;

  private constructor(
    private readonly urls: string[],
    private readonly parameters: string[],
  ) {}

  /** Returns the hosts in a URL, or undefined if there is only one. */
  static fromUrl(url: string): DatabaseHosts | undefined {
    const urls = splitHosts(url);
    if (urls.length === 1) return undefined;
    const attributes = new URL(urls[0]!).searchParams.get('target_session_attrs') ?? 'read-write';
    return new DatabaseHosts(urls, rejectedParameters[attributes]!);
  }

  /**
   * Returns the host for the next connection.
   * @throws Error from one of the hosts if none is suitable
   */
  choose(): Promise<Address> {
    this.chosen ??= this.findFirst().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.chosen;
  }

  /** Discards the chosen host, so that the next connection probes the hosts again. */
  forget(): void {
    this.chosen = undefined;
  }

  private async findFirst(): Promise<Address> {
    const probes = this.urls.map((url) => probe(url, this.parameters));
    for (const each of probes) each.catch(() => undefined);
    const errors: unknown[] = [];
    for (const each of probes) {
      try {
        return await each;
      } catch (error) {
        errors.push(error);
      }
    }
    // A wrong password must not be reported as an outage, nor a standby as unreachable.
    throw (
      errors.find((error) => !isOutage(error)) ??
      errors.find((error) => errorCode(error) === READ_ONLY) ??
      errors[0]
    );
  }
}

/** Returns a host's address. @throws Error if it is unreachable, or READ_ONLY if one of the parameters is on */
async function probe(url: string, parameters: string[]): Promise<Address> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on('error', () => undefined);
  const isOn = new Set<string>();
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterValue === 'on') isOn.add(parameterName);
  });
  try {
    await client.connect();
    if (!parameters.some((name) => isOn.has(name))) return { host: client.host, port: client.port };
    throw Object.assign(new Error(`${client.host}:${client.port} is read-only`), { code: READ_ONLY });
  } finally {
    // `end` is not awaited, because a server that does not respond does not close the connection either.
    void client.end().catch(() => undefined);
  }
}
