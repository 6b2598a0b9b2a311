import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Cli } from '../../cli.js';
import { isPrivateHost } from '../../private-host.js';
import { failed, formatDaysFromToday, ok, skipped, warning, type CheckResult } from './check-result.js';

const CHECK = 'tls';
const DAY_MS = 86_400_000;
/** Certificates that expire in fewer days than this are reported. Most are renewed 30 days before they expire. */
const RENEWAL_DAYS = 14;
const TIMEOUT_MS = 10_000;

/** OpenSSL and Node.js error codes for an incomplete chain or an unknown issuer. */
const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED/;

/** A certificate, and the reason why Node.js rejects it. */
interface Certificate {
  /** The error code, or null if the certificate is valid. */
  problem: string | null;
  validFrom: Date;
  validTo: Date;
}

/** Checks the certificate if the URL uses https. Otherwise, checks whether http is safe for the host. */
export async function checkTls(cli: Cli, url: URL): Promise<CheckResult> {
  if (url.protocol === 'http:') return checkPlain(url);
  try {
    return describe(await readCertificate(cli, url), url.hostname);
  } catch (error) {
    if (isPlainServer(error))
      return failed(
        CHECK,
        `The server at ${url.host} does not use TLS`,
        'Use http:// in GATEHOUSE_URL, or correct its port.',
      );
    // The `url` check reports the failed connection.
    return skipped(CHECK, 'requires a connection');
  }
}

function checkPlain({ hostname }: URL): CheckResult {
  if (isPrivateHost(hostname)) return ok(CHECK, 'http on this machine or on a private network');
  return failed(
    CHECK,
    `The secret key would be sent to ${hostname} unencrypted`,
    'Put a proxy that terminates TLS in front of Gatehouse, and use https:// in GATEHOUSE_URL.',
  );
}

async function readCertificate({ signal }: Cli, { hostname, port }: URL): Promise<Certificate> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // Nothing is sent on this connection. It stays open even if the certificate is invalid, so that the certificate can be read.
  const socket: TLSSocket = connect({
    host,
    port: Number(port || 443),
    ...(isIP(host) ? {} : { servername: host }),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(socket, 'secureConnect', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
    const problem = socket.authorized ? null : String(socket.authorizationError);
    return { problem, validFrom: new Date(from), validTo: new Date(to) };
  } finally {
    socket.destroy();
  }
}

function describe({ problem, validFrom, validTo }: Certificate, hostname: string): CheckResult {
  const days = Math.floor((validTo.getTime() - Date.now()) / DAY_MS);
  const date = (time: Date): string => time.toISOString().slice(0, 10);
  if (validTo.getTime() < Date.now())
    return failed(
      CHECK,
      `The certificate for ${hostname} expired on ${date(validTo)}`,
      'Renew the certificate.',
    );
  if (validFrom.getTime() > Date.now())
    return failed(
      CHECK,
      `The certificate for ${hostname} is not valid before ${date(validFrom)}`,
      'Correct the clock of this machine, or replace the certificate.',
    );
  if (problem === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return failed(
      CHECK,
      `The certificate is not valid for ${hostname}`,
      'Use a host name from the certificate in GATEHOUSE_URL, or a certificate for this host.',
    );
  if (problem !== null)
    return failed(
      CHECK,
      UNKNOWN_ISSUER.test(problem)
        ? `The issuer of the certificate for ${hostname} is not trusted (${problem})`
        : `The certificate for ${hostname} is invalid (${problem})`,
      "Configure the server to send its intermediate certificates, or set NODE_EXTRA_CA_CERTS to your CA's certificate file.",
    );
  if (days < RENEWAL_DAYS)
    return warning(
      CHECK,
      `The certificate for ${hostname} expires on ${date(validTo)}, ${formatDaysFromToday(days)}`,
      'Renew the certificate, and check why it was not renewed automatically.',
    );
  return ok(CHECK, `the certificate is valid until ${date(validTo)}`);
}

/** Returns true if the server responded without TLS. */
const isPlainServer = (error: unknown): boolean =>
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|EPROTO/.test(String((error as { code?: unknown }).code));
