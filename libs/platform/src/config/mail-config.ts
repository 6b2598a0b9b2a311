import type { Sender } from './sender.js';
import { isRemoteMailServer } from './config-warnings.js';
import type { SettingValues } from './settings.js';

/** The mail server. `smtpUrl` is null if emails are captured. */
export interface MailConfig {
  smtpUrl: string | null;
  /** True if no email may be sent over an unencrypted connection. */
  requireTls: boolean;
  from: Sender;
}

/** The setting that contains a mail server's URL. */
export type MailServerSetting = 'SMTP_URL' | 'ALERT_SMTP_URL';

/** The mail server for alerts. */
export interface AlertMailServer {
  setting: MailServerSetting;
  smtpUrl: string;
  /** As in `MailConfig`. */
  requireTls: boolean;
  /** True if all other emails are sent by a different server. */
  isSeparate: boolean;
}

const defaultSender: Sender = { name: 'Gatehouse', address: 'no-reply@localhost' };

export function mailConfig(values: SettingValues): MailConfig {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  return {
    smtpUrl,
    requireTls: smtpUrl !== null && requiresTls(smtpUrl, values),
    from: from ?? defaultSender,
  };
}

/** Returns the mail server for alerts, or null if no mail server is configured. */
export function alertMailServer(values: SettingValues): AlertMailServer | null {
  const { SMTP_URL, ALERT_SMTP_URL } = values;
  const smtpUrl = ALERT_SMTP_URL ?? SMTP_URL;
  if (!smtpUrl) return null;
  return {
    setting: ALERT_SMTP_URL ? 'ALERT_SMTP_URL' : 'SMTP_URL',
    smtpUrl,
    requireTls: requiresTls(smtpUrl, values),
    isSeparate: !SMTP_URL || !isSameMailServer(smtpUrl, SMTP_URL),
  };
}

/** Returns the problems with a mail server setting that are errors in production. */
export function mailServerProblems(setting: MailServerSetting, values: SettingValues): string[] {
  const url = values[setting];
  if (!url) return [];
  const { protocol, hostname, password } = new URL(url);
  // The host in the default SMTP_URL of docker-compose.yml. This server does not deliver any emails.
  if (/^mailpit$/i.test(hostname))
    return [`${setting} must not use the development mail server (mailpit) in production`];
  const isUnencrypted = protocol === 'smtp:' && !values.SMTP_REQUIRE_TLS && isRemoteMailServer(url);
  if (!isUnencrypted || password === '') return [];
  return [`SMTP_REQUIRE_TLS must be on in production if ${setting} contains a password`];
}

const requiresTls = (smtpUrl: string, { NODE_ENV, SMTP_REQUIRE_TLS }: SettingValues): boolean =>
  NODE_ENV === 'production' && SMTP_REQUIRE_TLS && isRemoteMailServer(smtpUrl);

/**
 * Returns whether two URLs refer to the same port of the same mail server. As in `isRemoteMailServer`, parameters can
 * override the host.
 */
function isSameMailServer(smtpUrl: string, otherUrl: string): boolean {
  const readAddress = (url: string): string => {
    const { protocol, hostname, port, searchParams } = new URL(url);
    const host = searchParams.get('service') ?? searchParams.get('host') ?? hostname;
    const defaultPort = protocol === 'smtps:' ? '465' : '587';
    return `${host.toLowerCase()}:${searchParams.get('port') ?? (port || defaultPort)}`;
  };
  return readAddress(smtpUrl) === readAddress(otherUrl);
}
